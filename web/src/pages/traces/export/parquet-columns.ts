import { costOf, durationOf, nameOf, statusOf, tokensOf, unpricedOf } from '../../../api/call-fields.ts';
import type { Call } from '../../../api/calls.ts';
import { writeJson } from '../../../format/json.ts';
import type { ParquetColumn } from './parquet-file.ts';

const text = (name: string, read: (call: Call) => string | null | undefined): ParquetColumn<Call> => ({
  ...{ name, kind: 'text' },
  read: (call) => read(call) ?? null,
});
const number = (name: string, read: (call: Call) => number | null | undefined): ParquetColumn<Call> => ({
  ...{ name, kind: 'number' },
  read: (call) => read(call) ?? null,
});
const time = (name: string, read: (call: Call) => string | null | undefined): ParquetColumn<Call> => ({
  ...{ name, kind: 'time' },
  read: (call) => microseconds(read(call)),
});
const truth = (name: string, read: (call: Call) => boolean): ParquetColumn<Call> => ({
  ...{ name, kind: 'truth', read },
});
const json = (name: 'inputs' | 'output' | 'attributes' | 'summary') =>
  text(name, (call) => (call[name] == null ? null : writeJson(call[name])));

/** The columns of an exported file. Payloads are JSON. */
export const parquetColumns: ParquetColumn<Call>[] = [
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
  number('input_tokens', (call) => tokensOf(call)?.input),
  number('output_tokens', (call) => tokensOf(call)?.output),
  number('cost_usd', costOf),
  truth('cost_is_at_least', (call) => unpricedOf(call).isAtLeast),
  truth('cost_is_estimate', (call) => unpricedOf(call).isEstimate),
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
