import { IntervalBar } from '../../components/chart/IntervalBar.tsx';
import styles from './GatePage.module.css';
import { formatBounds, type PlannedMetric } from './metric-text.ts';

type IntervalProps = {
  estimate: { mean: number | null; lower: number | null; upper: number | null };
  metric: PlannedMetric;
  /** How much worse is marked. */
  worse: number;
};

/** The bounds of a difference as a bar, with the mark of what is too much worse, and as numbers. */
export function Interval({ estimate: { mean, lower, upper }, metric, worse }: IntervalProps) {
  if (mean === null || lower === null || upper === null) return '–';
  return (
    <span className={styles.interval}>
      <IntervalBar value={mean} low={lower} high={upper} mark={-worse} reach={worse * 3} />
      <span className={styles.bounds}>{formatBounds(lower, upper, metric)}</span>
    </span>
  );
}
