import type { Gate } from '../../api/gates.ts';
import { BandChart } from '../../components/chart/BandChart.tsx';
import styles from './GatePage.module.css';
import { formatGap } from './metric-text.ts';

/** The mean difference of the target with its bounds, after each number of threads. */
export function TargetChart({ gate }: { gate: Gate }) {
  const { points } = gate.progress;
  const { target } = gate.plan;
  if (points.length === 0) {
    return <p className={styles.note}>The picture appears when both models have answered the first thread.</p>;
  }
  return (
    <BandChart
      title="Mean difference, candidate − incumbent"
      unit="threads"
      points={points.map(({ threads, mean, lower, upper }) => ({ x: threads, value: mean, low: lower, high: upper }))}
      lines={[
        { at: 0, name: 'no difference' },
        { at: target.gain, name: 'smallest gain that matters' },
      ]}
      format={(value) => formatGap(value, target)}
    />
  );
}
