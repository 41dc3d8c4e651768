import { durationOf, nameOf, statusOf } from '../../../api/call-fields.ts';
import { type ListedCall, spendingOfListed } from '../../../api/trace-usage.ts';
import { writeJson } from '../../../format/json.ts';
import type { ParquetColumn } from './parquet-file.ts';

const text = (name: string, read: (call: ListedCall) => string | null | undefined): ParquetColumn<ListedCall> => ({
  ...{ name, kind: 'text' },
  read: (call) => read(call) ?? null,
});
const number = (name: string, read: (call: ListedCall) => number | null | undefined): ParquetColumn<ListedCall> => ({
  ...{ name, kind: 'number' },
  read: (call) => read(call) ?? null,
});
const time = (name: string, read: (call: ListedCall) => string | null | undefined): ParquetColumn<ListedCall> => ({
  ...{ name, kind: 'time' },
  read: (call) => microseconds(read(call)),
});
const truth = (name: string, read: (call: ListedCall) => boolean): ParquetColumn<ListedCall> => ({
  ...{ name, kind: 'truth', read },
});
const json = (name: 'inputs' | 'output' | 'attributes' | 'summary') =>
  text(name, (call) => (call[name] == null ? null : writeJson(call[name])));

/** The columns of an exported file. Payloads are JSON. */
export const parquetColumns: ParquetColumn<ListedCall>[] = [
  text('id', ({ id }) => id),
  text('trace_id', ({ trace_id }) => trace_id),
  text('parent_id', ({ parent_id }) => parent_id),
  text('thread_id', ({ thread_id }) => thread_id),
  text('turn_id', ({ turn_id }) => turn_id),
  text('name', nameOf),
  text('op_name', ({ op_name }) => op_name),
  text('display_name', ({ display_name }) => display_name),
  text('status', statusOf),
  time('started_at', ({ started_at }) => started_at),
  time('ended_at', ({ ended_at }) => ended_at),
  number('duration_ms', durationOf),
  number('input_tokens', (call) => spendingOfListed(call).tokens?.input),
  number('output_tokens', (call) => spendingOfListed(call).tokens?.output),
  number('cost_usd', (call) => spendingOfListed(call).cost),
  truth('cost_is_at_least', (call) => spendingOfListed(call).unpriced.isAtLeast),
  truth('cost_is_estimate', (call) => spendingOfListed(call).unpriced.isEstimate),
  text('exception', ({ exception }) => exception),
  json('inputs'),
  json('output'),
  json('attributes'),
  json('summary'),
  text('wb_user_id', ({ wb_user_id }) => wb_user_id),
  text('wb_run_id', ({ wb_run_id }) => wb_run_id),
];

/** Since 1970; times of calls have six digits after the second. */
function microseconds(time: string | null | undefined): bigint | null {
  if (time == null) return null;
  const [, digits = ''] = /\.(\d+)/.exec(time) ?? [];
  return BigInt(Math.floor(Date.parse(time) / 1000)) * 1_000_000n + BigInt(digits.padEnd(6, '0').slice(0, 6));
}
