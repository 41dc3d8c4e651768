import { Link } from '@tanstack/react-router';
import { pathText } from '../../components/json/json-paths.ts';
import { conditionText } from '../../features/call/condition.ts';
import { Cost } from '../../features/cost/Cost.tsx';
import { useProject } from '../../features/use-project.ts';
import { formatCount, formatPercent } from '../../format/numbers.ts';
import { Table } from '../../ui/Table.tsx';
import { projectUrl } from '../../urls.ts';
import { colorOf } from './charts.ts';
import styles from './DashboardPage.module.css';
import type { Grouping } from './dashboard-query.ts';
import { type MeasuredGroup, sum } from './measured.ts';

type GroupTableProps = {
  by: Grouping;
  groups: MeasuredGroup[];
  /** The part of the address that links to the list pass on: the time range. */
  search: Record<string, string | undefined>;
};

/** The sums of each group, with its colour in the charts and the way to its calls. */
export function GroupTable({ by, groups, search }: GroupTableProps) {
  const project = useProject();
  return (
    <Table label={`Sums by ${by}`} className={styles.groups}>
      <thead>
        <tr>
          <th scope="col">{headings[by]}</th>
          {['Calls', 'Failed', 'Tokens', 'Cost'].map((title) => (
            <th key={title} scope="col" data-align="end">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {groups.map((group, index) => {
          const [calls, failed] = [sum(group.calls), sum(group.failed)];
          return (
            <tr key={group.name}>
              <th scope="row">
                <span className={styles.mark} style={{ background: `var(${colorOf(index)})` }} />
                {group.name === '' ? (
                  group.title
                ) : (
                  <Link to={projectUrl(project)} search={{ ...search, q: conditionOf(by, group.name) } as never}>
                    {group.title}
                  </Link>
                )}
              </th>
              <td data-align="end">{formatCount(calls)}</td>
              <td data-align="end" title={`${formatCount(failed)} calls`}>
                {formatPercent(calls === 0 ? 0 : failed / calls)}
              </td>
              <td data-align="end">{formatCount(sum(group.input) + sum(group.output))}</td>
              <td data-align="end">
                <Cost cost={sum(group.cost)} unpriced={group.unpriced} />
              </td>
            </tr>
          );
        })}
      </tbody>
    </Table>
  );
}

const headings: Record<Grouping, string> = { op: 'Op', user: 'User', model: 'Model' };

/** The filter that finds the calls of a group in the list. A model is the name of an object in the usage of a summary. */
function conditionOf(by: Grouping, name: string): string {
  if (by === 'model') return `${pathText(['summary', 'usage', name])}~"{"`;
  return conditionText(by === 'op' ? 'op_name' : 'wb_user_id', name);
}
