import styles from './IntervalBar.module.css';

type IntervalBarProps = {
  value: number;
  low: number;
  high: number;
  /** A place on the scale that matters, such as a limit. */
  mark: number;
  /** The number at both ends of the scale, without and with a minus. Longer intervals are cut off. */
  reach: number;
};

const width = 120;
const height = 16;

/** A difference with its interval around 0, and a mark. The numbers are beside it, so it is only decoration. */
export function IntervalBar({ value, low, high, mark, reach }: IntervalBarProps) {
  const place = (at: number) => 3 + ((Math.max(-reach, Math.min(reach, at)) + reach) / (2 * reach)) * (width - 6);
  const middle = height / 2;
  return (
    <svg className={styles.chart} width={width} height={height} aria-hidden="true">
      <line className={styles.axis} x1={3} x2={width - 3} y1={middle} y2={middle} />
      <line className={styles.zero} x1={place(0)} x2={place(0)} y1={3} y2={height - 3} />
      <line className={styles.range} x1={place(low)} x2={place(high)} y1={middle} y2={middle} />
      <line className={styles.mark} x1={place(mark)} x2={place(mark)} y1={1} y2={height - 1} />
      <circle className={styles.point} cx={place(value)} cy={middle} r={3} />
    </svg>
  );
}
