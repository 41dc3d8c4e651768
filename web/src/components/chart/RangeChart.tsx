import { useWidth } from '../../hooks/use-width.ts';
import styles from './RangeChart.module.css';
import { ticksWithin } from './ticks.ts';

type Range = { low: number; high: number };

type RangeRow = {
  name: string;
  value: number | null;
  bounds: Range | null;
  /** A wider range, drawn as a thin line. */
  extremes: Range | null;
};

type RangeChartProps = {
  title: string;
  /** What the three marks are called. */
  legend: { value: string; bounds: string; extremes: string };
  rows: RangeRow[];
  format: (value: number) => string;
};

const rowHeight = 28;
const edge = { top: 6, right: 20, bottom: 22, left: 110 };

/** Values with their bounds, one below the other on one scale. */
export function RangeChart({ title, legend, rows, format }: RangeChartProps) {
  const [place, width] = useWidth<HTMLDivElement>();
  const all = rows.flatMap(({ value, bounds, extremes }) =>
    [value, bounds?.low, bounds?.high, extremes?.low, extremes?.high].filter((each) => each != null),
  );
  if (all.length === 0) return null;
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const room = (most - least) * 0.05 || 0.05;
  const [bottom, top] = [least - room, most + room];
  const height = edge.top + rows.length * rowHeight + edge.bottom;
  const x = (value: number) => edge.left + ((value - bottom) / (top - bottom)) * (width - edge.left - edge.right);
  return (
    <figure className={styles.chart} aria-label={`${title}: ${inWords(rows, format)}`}>
      <figcaption className={styles.head}>
        <span className={styles.title}>{title}</span>
        <span className={styles.ofValue}>{legend.value}</span>
        <span className={styles.ofBounds}>{legend.bounds}</span>
        <span className={styles.ofExtremes}>{legend.extremes}</span>
      </figcaption>
      <div ref={place} className={styles.place}>
        <svg width={width} height={height} aria-hidden="true">
          {ticksWithin(bottom, top, width < 500 ? 4 : 8).map((tick) => (
            <g key={tick}>
              <line className={styles.grid} x1={x(tick)} x2={x(tick)} y1={edge.top} y2={height - edge.bottom} />
              <text className={styles.tick} x={x(tick)} y={height - 6} textAnchor="middle">
                {format(tick)}
              </text>
            </g>
          ))}
          {rows.map(({ name, value, bounds, extremes }, index) => {
            const y = edge.top + (index + 0.5) * rowHeight;
            return (
              <g key={name}>
                <text className={styles.name} x={edge.left - 10} y={y + 4} textAnchor="end">
                  {name.length > 14 ? `${name.slice(0, 13)}…` : name}
                </text>
                {extremes && (
                  <line className={styles.extremes} x1={x(extremes.low)} x2={x(extremes.high)} y1={y} y2={y} />
                )}
                {bounds && <line className={styles.bounds} x1={x(bounds.low)} x2={x(bounds.high)} y1={y} y2={y} />}
                {value !== null && <circle className={styles.value} cx={x(value)} cy={y} r={4} />}
              </g>
            );
          })}
        </svg>
      </div>
    </figure>
  );
}

function inWords(rows: RangeRow[], format: (value: number) => string): string {
  return rows
    .map(({ name, value, bounds }) => {
      if (value === null) return `${name} has none`;
      const range = bounds === null ? '' : ` (${format(bounds.low)} to ${format(bounds.high)})`;
      return `${name} ${format(value)}${range}`;
    })
    .join(', ');
}
