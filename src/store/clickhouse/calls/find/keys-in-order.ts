import type { SortBy } from '../../../../domain/query/sort-by.ts';
import type { ClickHouse } from '../../clickhouse.ts';
import { joinsSql, plainSql } from '../../query/sql.ts';
import { allOf, type CallsSelection, compileSelection, settingsSql } from '../sql/calls-query.ts';
import type { Expansions } from '../sql/expansions-sql.ts';
import { callOrder } from '../sql/sort-sql.ts';
import type { CallKey } from './fetch-calls.ts';
import { type KeySource, keysMax } from './keys-by-time.ts';

type Ordered = { expansions: Expansions; sortBy: SortBy[] | null; offset: number; bytes: string };

/** Keys in any order and from any offset. Each step sorts again, so steps are large. */
export function keysInOrder(clickhouse: ClickHouse, selection: CallsSelection, from: Ordered): KeySource {
  let offset = from.offset;
  let isAtEnd = false;
  return async (wanted) => {
    if (isAtEnd) return [];
    const count = Math.min(wanted, keysMax);
    const first = await firstByNumber(clickhouse, selection, { ...from, count: offset + count });
    const narrowed = first ? { ...selection, startTimes: first.map(({ startedAt }) => startedAt) } : selection;
    const { params, base, conditions, resolveField } = compileSelection(narrowed, from.expansions);
    const order = callOrder(from.sortBy, resolveField);
    if (first) conditions.push(plainSql(`id IN ${params.strings(first.map(({ id }) => id))}`));
    const keys = await clickhouse.query<CallKey>(
      `SELECT toUnixTimestamp64Micro(started_at) AS startedAt, id, ${from.bytes} AS bytes
       FROM calls FINAL ${joinsSql([order, ...conditions])}
       WHERE ${allOf(base, ...conditions)}
       ORDER BY ${order.sql}
       LIMIT ${count} OFFSET ${offset}
       ${settingsSql(conditions)}`,
      params.values,
    );
    isAtEnd = keys.length < count;
    offset += keys.length;
    return keys;
  };
}

/**
 * For calls sorted by a value in a payload: the calls with the smallest or greatest numbers, unsorted, including all
 * that share the last of these numbers. Only they need an exact sort, which reads payloads. Null if numbers do not
 * decide, because too many calls share one or fewer than `count` have one.
 */
async function firstByNumber(
  clickhouse: ClickHouse,
  selection: CallsSelection,
  { expansions, sortBy, count }: Ordered & { count: number },
): Promise<Omit<CallKey, 'bytes'>[] | null> {
  const { params, base, conditions, resolveField } = compileSelection(selection, expansions);
  const { byNumber } = callOrder(sortBy, resolveField);
  if (!byNumber || count > byNumberMax) return null;
  const keys = await clickhouse.query<Omit<CallKey, 'bytes'>>(
    `SELECT * FROM (
       SELECT toUnixTimestamp64Micro(started_at) AS startedAt, id
       FROM calls FINAL ${joinsSql(conditions)}
       WHERE ${allOf(base, byNumber.isNumber, ...conditions)}
       ORDER BY ${byNumber.sql}
       LIMIT ${count} WITH TIES
     ) LIMIT ${byNumberMax + 1}
     ${settingsSql(conditions)}`,
    params.values,
  );
  return keys.length >= count && keys.length <= byNumberMax ? keys : null;
}

const byNumberMax = 2000;
