import type { SortBy } from '../../../contract/calls/filter.ts';
import type { ClickHouse } from '../clickhouse.ts';
import { allOf, type CallsSelection, compileSelection } from './calls-query.ts';
import type { Expansions } from './expansions-sql.ts';
import type { CallKey } from './fetch-calls.ts';
import type { KeySource } from './keys-by-time.ts';
import { callOrder } from './sort-sql.ts';

/** Keys in any order and from any offset. Each step sorts anew, so steps are large. */
export function keysInOrder(
  clickhouse: ClickHouse,
  selection: CallsSelection,
  from: { expansions: Expansions; sortBy: SortBy[] | null; offset: number; bytes: string },
): KeySource {
  let offset = from.offset;
  let isAtEnd = false;
  return async (wanted) => {
    if (isAtEnd) return [];
    const count = Math.min(wanted, keysMax);
    const { params, base, conditions, resolveField } = compileSelection(selection, from.expansions);
    const keys = await clickhouse.query<CallKey>(
      `SELECT toUnixTimestamp64Micro(started_at) AS startedAt, id, ${from.bytes} AS bytes
       FROM calls FINAL
       WHERE ${allOf(base, ...conditions)}
       ORDER BY ${callOrder(from.sortBy, resolveField).sql}
       LIMIT ${count} OFFSET ${offset}`,
      params.values,
    );
    isAtEnd = keys.length < count;
    offset += keys.length;
    return keys;
  };
}

const keysMax = 50_000;
