import { type RawBuilder, sql } from 'kysely';
import type { Page } from '../../../domain/query/page.ts';
import { checkCount, queryLimits } from '../../../domain/query/query-limits.ts';
import type { SortBy } from '../../../domain/query/sort-by.ts';

/**
 * The requested order, otherwise the default; unknown fields are ignored. The id breaks ties. @throws Failure for too
 * many
 */
export function orderSql(
  sortBy: SortBy[],
  columns: Record<string, RawBuilder<unknown>>,
  usual: RawBuilder<unknown>[],
): RawBuilder<unknown> {
  checkCount('fields in its sort_by', sortBy.length, queryLimits.sortFields);
  const asked = sortBy
    .filter(({ field }) => Object.hasOwn(columns, field))
    .map(({ field, direction }) => sql`${columns[field]} ${sql.raw(direction === 'asc' ? 'ASC' : 'DESC')}`);
  return sql.join([...(asked.length > 0 ? asked : usual), sql`id ASC`]);
}

export function pageSql({ limit, offset }: Page): RawBuilder<unknown> {
  return sql`LIMIT ${countable(limit)}::bigint OFFSET ${countable(offset ?? 0)}::bigint`;
}

/** No table has this many rows, and PostgreSQL accepts no larger number. */
function countable(rows: number | null): number | null {
  return rows === null ? null : Math.min(rows, Number.MAX_SAFE_INTEGER);
}
