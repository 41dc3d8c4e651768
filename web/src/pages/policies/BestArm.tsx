import type { PolicyLook } from '../../api/policies.ts';
import { RangeChart } from '../../components/chart/RangeChart.tsx';
import { formatCount } from '../../format/numbers.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Table } from '../../ui/Table.tsx';
import styles from './PolicyView.module.css';

type Found = NonNullable<PolicyLook['best_arm']>;

/** Which arm is shown to be best, and by what. */
export function BestArm({ found }: { found: Found }) {
  const { reward, since, winner, warning, arms } = found;
  return (
    <>
      <p className={styles.note}>
        {winner !== null && (
          <>
            <Badge tone="success">winner</Badge> {winner} has the highest mean of {reward}, also if missing feedback
            counts against it.
          </>
        )}
        {warning !== null && (
          <>
            <Badge tone="warning">no winner</Badge> {warning}
          </>
        )}
        {winner === null && warning === null && 'No arm is shown to be best yet.'} Units since version {since} are
        compared.
      </p>
      <div className={styles.picture}>
        <RangeChart
          title={`Mean of ${reward}`}
          legend={{ value: 'mean', bounds: '95 % at all looks', extremes: 'if missing feedback counts' }}
          rows={arms.map(({ name, mean, lower, upper, lowest, highest }) => ({
            ...{ name, value: mean, bounds: rangeOf(lower, upper), extremes: rangeOf(lowest, highest) },
          }))}
          format={(value) => String(Number(value.toFixed(3)))}
        />
      </div>
      <Table label="Arms">
        <thead>
          <tr>
            <th scope="col">Arm</th>
            <th scope="col" data-align="end" title="Units with feedback whose window has closed">
              Counted
            </th>
            <th scope="col" data-align="end" title="Units whose window closed without feedback">
              Missing
            </th>
            <th scope="col" data-align="end" title="As if shares had always been the same">
              Mean
            </th>
            <th scope="col" data-align="end" title="The mean if all missing rewards were 0, and if all were 1">
              If missing counts
            </th>
            <th scope="col" data-align="end" title="That another arm is better: an e-value, 1 for none">
              Evidence against
            </th>
          </tr>
        </thead>
        <tbody>
          {arms.map((arm) => (
            <tr key={arm.name}>
              <th scope="row">
                {arm.name} {arm.name === winner && <Badge tone="success">winner</Badge>}
                {!arm.is_in && <Badge tone="warning">returned</Badge>}
              </th>
              <td data-align="end">{formatCount(arm.counted)}</td>
              <td data-align="end">{missingOf(arm)}</td>
              <td data-align="end">{arm.mean === null ? '–' : arm.mean.toFixed(3)}</td>
              <td data-align="end">
                {arm.lowest === null ? '–' : `${arm.lowest.toFixed(3)} to ${arm.highest!.toFixed(3)}`}
              </td>
              <td data-align="end">{evidenceOf(arm.evidence_against)}</td>
            </tr>
          ))}
        </tbody>
      </Table>
    </>
  );
}

function rangeOf(low: number | null, high: number | null) {
  return low === null || high === null ? null : { low, high };
}

function missingOf({ counted, missing }: Found['arms'][number]): string {
  if (missing === 0) return '0';
  return `${formatCount(missing)} (${Math.round((100 * missing) / (counted + missing))} %)`;
}

function evidenceOf(value: number): string {
  return value >= 1e6 ? 'above 1,000,000' : formatCount(value);
}
