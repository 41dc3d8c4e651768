import { numberOf } from '../../format/json.ts';
import { formatCount, formatNumber } from '../../format/numbers.ts';
import styles from './Histogram.module.css';

/** The counts of a histogram as bars of equal width, above the range of its values. */
export function Histogram({ value, label }: { value: unknown; label: string }) {
  const { values = [], bins = [] } = value as { values?: unknown[]; bins?: unknown[] };
  const counts = values.map((count) => numberOf(count) ?? 0);
  const highest = Math.max(...counts, 1);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const [from, to] = [numberOf(bins[0]) ?? 0, numberOf(bins.at(-1)) ?? 0];
  const range = `${formatNumber(from)} to ${formatNumber(to)}, ${formatCount(total)} values`;
  return (
    <figure className={styles.figure}>
      <svg
        className={styles.chart}
        viewBox={`0 0 ${counts.length} 1`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Histogram of ${label}: ${range}`}
      >
        {counts.map((count, bin) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a bin is its place
          <rect key={bin} x={bin + 0.05} width={0.9} y={1 - count / highest} height={count / highest} />
        ))}
      </svg>
      <figcaption className={styles.caption}>{range}</figcaption>
    </figure>
  );
}
