import { checkCount, queryLimits } from '../../../../domain/query/query-limits.ts';
import type { SortBy } from '../../../../domain/query/sort-by.ts';
import { unacceptable } from '../../../../util/failures.ts';
import type { ResolveField } from '../../query/expression.ts';
import { orderSql } from '../../query/order-sql.ts';
import { type Sql, sqlOf } from '../../query/sql.ts';

/** An order of calls. */
export type CallOrder = Sql & {
  /** Set if it is table order, forward or backward. */
  byTime: 'asc' | 'desc' | null;
  /** Set if calls with a number at some location come first, in the order of `sql`, which is fast to read. */
  byNumber: { sql: string; isNumber: string } | null;
};

/**
 * Every order ends with the id, so that pages do not overlap.
 * @throws Failure for a field that cannot be sorted by, or for too many
 */
export function callOrder(sortBy: SortBy[] | null, resolveField: ResolveField): CallOrder {
  checkCount('fields in its sort_by', sortBy?.length ?? 0, queryLimits.sortFields);
  const wanted = sortBy?.length ? sortBy : oldestFirst;
  const terms = wanted.some(({ field }) => field === 'id') ? wanted : [...wanted, tieBreak(wanted.at(-1)!)];
  const parts = terms.map((term) => termSql(term, resolveField));
  const order = sqlOf(parts.map(({ sql }) => sql).join(', '), ...parts);
  const [first, second] = terms as [SortBy, SortBy?];
  const isByTime = first.field === 'started_at' && second?.field === 'id' && first.direction === second.direction;
  return { ...order, byTime: isByTime ? first.direction : null, byNumber: byNumber(first, resolveField) };
}

function byNumber({ field, direction }: SortBy, resolveField: ResolveField): CallOrder['byNumber'] {
  const expression = resolveField(field);
  if (expression.kind !== 'json' || !expression.index?.number) return null;
  const { sql, isNumber } = expression.index.number;
  return { sql: `${sql} ${direction}`, isNumber };
}

const oldestFirst: SortBy[] = [{ field: 'started_at', direction: 'asc' }];

function tieBreak(last: SortBy): SortBy {
  return { field: 'id', direction: last.field === 'started_at' ? last.direction : 'desc' };
}

function termSql({ field, direction }: SortBy, resolveField: ResolveField): Sql {
  if (/^(total_)?storage_size_bytes$/.test(field)) throw unacceptable(`Calls cannot be sorted by ${field}`);
  return orderSql(resolveField(field), direction);
}
