import type { ClickHouse } from '../../clickhouse.ts';
import { joinsSql } from '../../query/sql.ts';
import { allOf, type CallsSelection, compileSelection, settingsSql } from '../sql/calls-query.ts';
import type { Expansions } from '../sql/expansions-sql.ts';
import { readBounded } from './bounded-read.ts';
import type { CallKey } from './fetch-calls.ts';

type ByTime = {
  expansions: Expansions;
  direction: 'asc' | 'desc';
  bytes: string;
  /** The number of keys that the first step reads; later steps read more. */
  firstStep: number;
};

/** Returns the next keys, about as many as calls are still needed; none at the end. */
export type KeySource = (wanted: number) => Promise<CallKey[]>;

/**
 * Keys in table order, from either end. They are read without FINAL, so the query can stop at the limit: some version
 * of the call at each key matches, and the caller checks whether the newest one does. No matching call is missed.
 */
export function keysByTime(
  clickhouse: ClickHouse,
  selection: CallsSelection,
  { expansions, direction, bytes, firstStep }: ByTime,
): KeySource {
  let last: CallKey | null = null;
  let isAtEnd = false;
  let step = firstStep;
  return async (wanted) => {
    if (isAtEnd) return [];
    const count = Math.min(wanted, step);
    step = Math.min(step * 4, keysMax);
    const { params, base, conditions } = compileSelection(selection, expansions);
    const write = (...within: string[]) =>
      `SELECT toUnixTimestamp64Micro(started_at) AS startedAt, id, ${bytes} AS bytes
       FROM calls ${joinsSql(conditions)}
       WHERE ${allOf(base, 'is_deleted = 0', ...within, ...conditions)}
       ORDER BY started_at ${direction}, id ${direction}
       LIMIT 1 BY started_at, id
       LIMIT ${count}
       ${settingsSql(conditions, ...inOrderSettings)}`;
    const read = (...within: string[]) => clickhouse.query<CallKey>(write(...within), params.values);
    const keys = last
      ? await read(beyondSql(direction, params.time(last.startedAt), params.string(last.id)))
      : await readBounded({ statement: write() + JSON.stringify(params.values), count }, (bound) =>
          bound === null ? read() : read(`started_at ${direction === 'asc' ? '<=' : '>='} ${params.time(bound)}`),
        );
    isAtEnd = keys.length < count;
    last = keys.at(-1) ?? last;
    return keys;
  };
}

/** The maximum number of keys in memory. */
export const keysMax = 50_000;

/** 6 ms instead of 10, and four times less for rare matches. */
const inOrderSettings = ['read_in_order_use_virtual_row = 1', 'read_in_order_use_buffering = 0'];

function beyondSql(direction: 'asc' | 'desc', time: string, id: string): string {
  const sign = direction === 'asc' ? '>' : '<';
  return `started_at ${sign}= ${time} AND (started_at ${sign} ${time} OR id ${sign} ${id})`;
}
