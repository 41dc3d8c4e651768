import type { Gate } from '../../api/gates.ts';
import { formatCount } from '../../format/numbers.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Table } from '../../ui/Table.tsx';
import styles from './GatePage.module.css';
import { formatBounds, formatGap, formatPValue, metricTitle } from './metric-text.ts';

/** What is shown about the target, on traffic and on the suite, and its difference in clean and in all threads. */
export function Evidence({ gate }: { gate: Gate }) {
  const { progress, plan } = gate;
  return (
    <section className={styles.section} aria-labelledby="evidence">
      <h2 id="evidence">Target: {metricTitle(plan.target)}</h2>
      <p className={styles.note}>A claim is shown once its p-value is at most {formatPValue(plan.alpha)}.</p>
      <Table label="Evidence" className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Claim</th>
            <th scope="col">State</th>
            <th scope="col" data-align="end">
              p-value
            </th>
          </tr>
        </thead>
        <tbody>
          <Claim name="Better on traffic like it (decides)" line={progress.on_traffic} />
          <Claim name="Better on this suite" line={progress.on_suite} />
        </tbody>
      </Table>
      {progress.target_of_all !== null && (
        <Table label="Clean and all threads" className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Threads</th>
              <th scope="col" data-align="end">
                Count
              </th>
              <th scope="col" data-align="end">
                Difference
              </th>
              <th scope="col" data-align="end">
                Bounds
              </th>
            </tr>
          </thead>
          <tbody>
            <Difference name="Clean (decide)" estimate={progress.target} metric={plan.target} />
            <Difference
              name="All, with those like what the models were trained on"
              estimate={progress.target_of_all}
              metric={plan.target}
            />
          </tbody>
        </Table>
      )}
    </section>
  );
}

type ClaimProps = { name: string; line: Gate['progress']['on_traffic'] };

function Claim({ name, line }: ClaimProps) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{line.shown ? <Badge tone="success">shown</Badge> : <Badge>not shown</Badge>}</td>
      <td data-align="end">{formatPValue(line.p_value)}</td>
    </tr>
  );
}

type DifferenceProps = {
  name: string;
  estimate: NonNullable<Gate['progress']['target_of_all']>;
  metric: Gate['plan']['target'];
};

function Difference({ name, estimate: { threads, mean, lower, upper }, metric }: DifferenceProps) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td data-align="end">{formatCount(threads)}</td>
      <td data-align="end">{mean === null ? '–' : formatGap(mean, metric)}</td>
      <td data-align="end">{lower === null || upper === null ? '–' : formatBounds(lower, upper, metric)}</td>
    </tr>
  );
}
