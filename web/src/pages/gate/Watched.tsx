import { type Gate, isOpen } from '../../api/gates.ts';
import { formatCount } from '../../format/numbers.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Table } from '../../ui/Table.tsx';
import styles from './GatePage.module.css';
import { Interval } from './Interval.tsx';
import { formatAmount, metricTitle } from './metric-text.ts';

type WatchedLine = Gate['progress']['watched'][number];

const states = {
  harm: ['error', 'harm is shown'],
  'no-harm-shown': ['success', 'no harm shown'],
  looking: ['accent', 'looking'],
  'too-small': ['warning', 'too few rows to rely on'],
} as const satisfies Record<WatchedLine['state'], unknown>;

/** Of a gate that ended before harm, or its absence, was shown. */
const undecided = ['neutral', 'neither is shown'] as const;

/** Slices and metrics that block the candidate if harm is shown. */
export function Watched({ gate }: { gate: Gate }) {
  const { progress, plan } = gate;
  return (
    <section className={styles.section} aria-labelledby="watched">
      <h2 id="watched">Watched for harm</h2>
      <Table label="Watched metrics" className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Watched</th>
            <th scope="col" data-align="end">
              Smallest harm
            </th>
            <th scope="col" data-align="end" title="Compared, of those that the suite has">
              Threads
            </th>
            <th scope="col">Bounds, with the smallest harm marked</th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {progress.watched.map((line, index) => {
            const metric = plan.watched[index]!;
            const [tone, word] = isOpen(gate) || line.state !== 'looking' ? states[line.state] : undecided;
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: a plan may watch a metric twice, and never changes
              <tr key={index}>
                <th scope="row">{metricTitle(metric)}</th>
                <td data-align="end">{formatAmount(line.harm, metric)}</td>
                <td data-align="end">{`${formatCount(line.threads)} of ${formatCount(metric.threads)}`}</td>
                <td>
                  <Interval estimate={line} metric={metric} worse={line.harm} />
                </td>
                <td title={`About ${formatCount(line.threads_needed)} threads show this harm in 80 % of runs`}>
                  <Badge tone={tone}>{word}</Badge>
                </td>
              </tr>
            );
          })}
        </tbody>
      </Table>
    </section>
  );
}
