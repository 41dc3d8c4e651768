import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { leaderboardRunsQuery } from '../../api/leaderboards.ts';
import { RefLink } from '../../features/RefLink.tsx';
import { useProject } from '../../features/use-project.ts';
import { formatNumber } from '../../format/numbers.ts';
import { refTitle } from '../../refs.ts';
import { Empty, ErrorMessage, Loading } from '../../ui/Status.tsx';
import { Table } from '../../ui/Table.tsx';
import { evaluationResultsUrl } from '../../urls.ts';
import styles from './Standings.module.css';
import { type BoardColumn, standingsOf } from './standings.ts';

/** The models of a leaderboard with the scores of their newest runs; the best of each column is marked. */
export function Standings({ columns }: { columns: BoardColumn[] }) {
  const project = useProject();
  const refs = useMemo(() => [...new Set(columns.map(({ evaluation }) => evaluation))], [columns]);
  const { data: runs, error, refetch } = useQuery(leaderboardRunsQuery(project.id, refs));
  const rows = useMemo(() => standingsOf(columns, runs ?? []), [columns, runs]);
  if (error && !runs) return <ErrorMessage error={error} onRetry={refetch} />;
  if (!runs) return <Loading label="Loading runs" />;
  if (rows.length === 0) {
    return (
      <Empty icon="bars" title="No model was evaluated yet">
        Run one of the evaluations of this leaderboard: its model appears here.
      </Empty>
    );
  }
  return (
    <Table label="Standings">
      <thead>
        <tr>
          <th scope="col">Model</th>
          {columns.map((column) => (
            <th key={column.key} scope="col">
              <span className={styles.scorer}>
                {column.scorer}.{column.path}
              </span>
              <span className={styles.note}>
                {refTitle(column.evaluation)} · {column.isLowerBetter ? 'lower is better' : 'higher is better'}
              </span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ model, scores }) => (
          <tr key={model}>
            <th scope="row">
              <RefLink value={model} />
            </th>
            {scores.map((score, index) => (
              <td key={columns[index]!.key}>
                {score === null ? (
                  <span className={styles.note}>–</span>
                ) : (
                  <>
                    <Link to={evaluationResultsUrl(project, [score.runId])} className={score.isBest ? styles.best : ''}>
                      {formatNumber(score.value)}
                    </Link>
                    {score.isBest && <span className={styles.note}> best</span>}
                  </>
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
