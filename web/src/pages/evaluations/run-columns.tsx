import { callTitle, durationOf, statusOf } from '../../api/call-fields.ts';
import type { Call } from '../../api/calls.ts';
import { evaluatedBy } from '../../api/evaluations.ts';
import type { TableColumn } from '../../components/DataTable.tsx';
import { TimeAgo } from '../../components/TimeAgo.tsx';
import { CallStatusMark } from '../../features/call/CallStatusMark.tsx';
import { RefLink } from '../../features/RefLink.tsx';
import { formatDuration } from '../../format/numbers.ts';
import { ShareBar } from '../../ui/ShareBar.tsx';
import styles from './run-columns.module.css';
import { formatScore, type RunScore, scoreAt } from './run-scores.ts';

export function runColumns(scores: RunScore[]): TableColumn<Call>[] {
  return [
    {
      id: 'name',
      title: 'Run',
      width: 270,
      cell: (call) => (
        <>
          <CallStatusMark status={statusOf(call)} exception={call.exception ?? null} />
          <span>{callTitle(call)}</span>
        </>
      ),
    },
    {
      id: 'evaluation',
      title: 'Evaluation',
      width: 150,
      cell: (call) => <RefLink value={evaluatedBy(call).evaluation} />,
    },
    { id: 'model', title: 'Model', width: 150, cell: (call) => <RefLink value={evaluatedBy(call).model} /> },
    ...scores.map(scoreColumn),
    {
      id: 'duration',
      title: 'Duration',
      width: 90,
      align: 'end',
      cell: (call) => {
        const duration = durationOf(call);
        return duration === null ? 'running' : formatDuration(duration);
      },
    },
    {
      id: 'started_at',
      title: 'Started',
      width: 110,
      align: 'end',
      isSortable: true,
      cell: (call) => <TimeAgo time={call.started_at} />,
    },
  ];
}

function scoreColumn(score: RunScore): TableColumn<Call> {
  return {
    id: sortField(score) ?? score.path.join('\0'),
    title: <span title={score.path.join('.')}>{score.title}</span>,
    width: 132,
    align: 'end',
    isSortable: sortField(score) !== null,
    cell: (call) => {
      const value = scoreAt(call.output, score);
      if (value === null) return <span className={styles.none}>–</span>;
      return (
        <>
          {score.kind === 'share' && <ShareBar share={value} width={56} />}
          <span className={styles.value}>{formatScore(value, score.kind)}</span>
        </>
      );
    },
  };
}

/** Queries separate names by dots, so a name that contains one cannot be named. */
function sortField({ path }: RunScore): string | null {
  return path.some((name) => name.includes('.')) ? null : ['output', ...path].join('.');
}
