import { callTitle, durationOf, exceptionLine, modelsOf, nameOf, statusOf } from '../../api/call-fields.ts';
import { type ListedCall, spendingOfListed } from '../../api/trace-usage.ts';
import type { TableColumn } from '../../components/DataTable.tsx';
import { isContainer } from '../../components/json/json-paths.ts';
import { TimeAgo } from '../../components/TimeAgo.tsx';
import { CallStatusMark } from '../../features/call/CallStatusMark.tsx';
import { conditionText } from '../../features/call/condition.ts';
import { fieldText, valueAt } from '../../features/call/field-paths.ts';
import { Cost } from '../../features/cost/Cost.tsx';
import { formatCount, formatDuration } from '../../format/numbers.ts';
import { previewOf } from '../../format/preview.ts';

/** A column that the user can choose. `field` is what the server sorts by. */
type TraceColumn = TableColumn<ListedCall> & { name: string; field?: string };

const fixedColumns: TraceColumn[] = [
  {
    id: 'name',
    name: 'Name',
    title: 'Name',
    width: 230,
    filterOf: (call) => conditionText('op_name', nameOf(call)),
    cell: (call) => (
      <>
        <CallStatusMark status={statusOf(call)} exception={call.exception ?? null} />
        <span>{callTitle(call)}</span>
      </>
    ),
  },
  { id: 'inputs', name: 'Inputs', title: 'Inputs', width: 280, cell: (call) => <span>{call.preview?.input}</span> },
  {
    id: 'output',
    name: 'Output',
    title: 'Output',
    width: 280,
    cell: (call) => (call.exception ? <ErrorText exception={call.exception} /> : <span>{call.preview?.output}</span>),
  },
  {
    id: 'duration',
    name: 'Duration',
    title: 'Duration',
    width: 96,
    align: 'end',
    field: 'summary.weave.latency_ms',
    isSortable: true,
    cell: (call) => {
      const duration = durationOf(call);
      return duration === null ? 'running' : formatDuration(duration);
    },
  },
  {
    id: 'tokens',
    name: 'Tokens',
    title: 'Tokens',
    width: 84,
    align: 'end',
    cell: (call) => {
      const { tokens } = spendingOfListed(call);
      return tokens && <span title={`${tokens.input} in, ${tokens.output} out`}>{formatCount(tokens.total)}</span>;
    },
  },
  {
    id: 'cost',
    name: 'Cost',
    title: 'Cost',
    width: 80,
    align: 'end',
    cell: (call) => {
      const { cost, unpriced } = spendingOfListed(call);
      return cost === null && !unpriced.isAtLeast ? null : <Cost cost={cost} unpriced={unpriced} />;
    },
  },
  {
    id: 'started',
    name: 'Started',
    title: 'Started',
    width: 112,
    align: 'end',
    field: 'started_at',
    isSortable: true,
    cell: (call) => <TimeAgo time={call.started_at} />,
  },
  {
    id: 'status',
    name: 'Status',
    title: 'Status',
    width: 150,
    filterOf: (call) => conditionText('status', statusOf(call)),
    cell: (call) => <CallStatusMark status={statusOf(call)} exception={call.exception ?? null} isWordy />,
  },
  {
    id: 'models',
    name: 'Models',
    title: 'Models',
    width: 160,
    cell: (call) => <span>{modelsOf(call).join(', ')}</span>,
  },
  {
    id: 'thread',
    name: 'Thread',
    title: 'Thread',
    width: 140,
    filterOf: (call) => (call.thread_id ? conditionText('thread_id', call.thread_id) : null),
    cell: (call) => <span>{call.thread_id}</span>,
  },
  {
    id: 'user',
    name: 'User',
    title: 'User',
    width: 120,
    filterOf: (call) => (call.wb_user_id ? conditionText('wb_user_id', call.wb_user_id) : null),
    cell: (call) => <span>{call.wb_user_id}</span>,
  },
  { id: 'call_id', name: 'Call id', title: 'Call id', width: 290, cell: (call) => <code>{call.id}</code> },
];

export const defaultColumns = ['name', 'inputs', 'output', 'duration', 'tokens', 'cost', 'started'];

/** Columns with names of their own; all others are places in payloads, such as `inputs.user`. */
export const namedColumns: { id: string; name: string }[] = fixedColumns.map(({ id, name }) => ({ id, name }));

/** The columns as the address keeps them: keys of payloads may contain commas. */
export function columnsText(ids: string[]): string {
  return ids.map((id) => id.replaceAll('%', '%25').replaceAll(',', '%2C')).join(',');
}

/** The opposite of `columnsText`. */
export function columnIdsIn(text: string): string[] {
  return text.split(',').map((id) => id.replaceAll('%2C', ',').replaceAll('%25', '%'));
}

export function columnsOf(ids: string[]): TraceColumn[] {
  return ids.map((id) => fixedColumns.find((column) => column.id === id) ?? fieldColumn(id));
}

function fieldColumn(field: string): TraceColumn {
  return {
    id: field,
    name: fieldText(field),
    title: (
      <span title={fieldText(field)}>{fieldText(field).replace(/^(inputs|output|attributes|summary)\.?/, '')}</span>
    ),
    width: 160,
    field,
    isSortable: true,
    filterOf: (call) => {
      const value = valueAt(call, field);
      return value === undefined || value === null || isContainer(value)
        ? null
        : conditionText(fieldText(field), value);
    },
    cell: (call) => <span>{previewOf(valueAt(call, field))}</span>,
  };
}

function ErrorText({ exception }: { exception: string }) {
  return <span style={{ color: 'var(--error)' }}>{exceptionLine(exception)}</span>;
}
