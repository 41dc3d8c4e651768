import type { Call } from '../../api/calls.ts';
import { CallStatusMark } from '../../components/call/CallStatusMark.tsx';
import type { TableColumn } from '../../components/DataTable.tsx';
import { TimeAgo } from '../../components/TimeAgo.tsx';
import { callTitle, costOf, durationOf, statusOf, tokensOf } from '../../format/call.ts';
import { formatCost, formatCount, formatDuration } from '../../format/numbers.ts';
import { previewOf } from '../../format/preview.ts';

export const traceColumns: TableColumn<Call>[] = [
  {
    id: 'name',
    title: 'Name',
    width: 220,
    cell: (call) => (
      <>
        <CallStatusMark status={statusOf(call)} exception={call.exception ?? null} />
        <span>{callTitle(call)}</span>
      </>
    ),
  },
  { id: 'inputs', title: 'Inputs', width: 260, cell: (call) => <span>{previewOf(call.inputs)}</span> },
  { id: 'output', title: 'Output', width: 260, cell: (call) => <span>{previewOf(call.output)}</span> },
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
    id: 'tokens',
    title: 'Tokens',
    width: 80,
    align: 'end',
    cell: (call) => {
      const tokens = tokensOf(call);
      return tokens && <span title={`${tokens.input} in, ${tokens.output} out`}>{formatCount(tokens.total)}</span>;
    },
  },
  {
    id: 'cost',
    title: 'Cost',
    width: 80,
    align: 'end',
    cell: (call) => {
      const cost = costOf(call);
      return cost === null ? null : formatCost(cost);
    },
  },
  { id: 'started', title: 'Started', width: 110, align: 'end', cell: (call) => <TimeAgo time={call.started_at} /> },
];
