import styles from './Interval.module.css';

const width = 96;
const height = 12;

/** A value with its 95 % interval on a scale that all runs share. The numbers are beside it, so it is only decoration. */
export function Interval({
  value,
  interval,
  scale,
}: {
  value: number;
  interval: [number, number];
  scale: [number, number];
}) {
  const place = (at: number) => 3 + ((at - scale[0]) / (scale[1] - scale[0] || 1)) * (width - 6);
  return (
    <svg className={styles.chart} width={width} height={height} aria-hidden="true">
      <line className={styles.axis} x1={3} x2={width - 3} y1={height / 2} y2={height / 2} />
      <line className={styles.range} x1={place(interval[0])} x2={place(interval[1])} y1={height / 2} y2={height / 2} />
      <circle className={styles.point} cx={place(value)} cy={height / 2} r={3} />
    </svg>
  );
}
