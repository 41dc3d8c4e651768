import type { Gate } from '../../api/gates.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Table } from '../../ui/Table.tsx';
import styles from './GatePage.module.css';
import { Interval } from './Interval.tsx';
import { formatAmount, formatGap, metricTitle } from './metric-text.ts';

type Guardrail = Gate['progress']['guardrails'][number];

/** What must not be worse by more than a margin. */
export function Guardrails({ gate: { progress, plan } }: { gate: Gate }) {
  return (
    <section className={styles.section} aria-labelledby="guardrails">
      <h2 id="guardrails">Guardrails</h2>
      <Table label="Guardrails" className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Must not be worse</th>
            <th scope="col" data-align="end">
              Margin
            </th>
            <th scope="col" data-align="end" title="Positive is better">
              Difference
            </th>
            <th scope="col">Bounds, with the margin marked</th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {progress.guardrails.map((guardrail, index) => {
            const metric = plan.guardrails[index]!;
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: a plan may have two guardrails of one name, and never changes
              <tr key={index}>
                <th scope="row">{metricTitle(metric)}</th>
                <td data-align="end">{formatAmount(guardrail.margin, metric)}</td>
                <td data-align="end">{guardrail.mean === null ? '–' : formatGap(guardrail.mean, metric)}</td>
                <td>
                  <Interval estimate={guardrail} metric={metric} worse={guardrail.margin} />
                </td>
                <td>
                  <State guardrail={guardrail} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </Table>
    </section>
  );
}

function State({ guardrail: { shown, worse } }: { guardrail: Guardrail }) {
  if (worse) return <Badge tone="error">worse than its margin</Badge>;
  return shown ? <Badge tone="success">shown</Badge> : <Badge>not shown</Badge>;
}
