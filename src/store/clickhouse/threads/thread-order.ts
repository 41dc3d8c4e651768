import { checkCount, queryLimits } from '../../../domain/query/query-limits.ts';
import type { SortBy } from '../../../domain/query/sort-by.ts';
import { invalidInput } from '../../../util/failures.ts';

const fields: Record<string, string> = {
  thread_id: 'threadId',
  turn_count: 'turnCount',
  start_time: 'startTime',
  last_updated: 'lastUpdated',
  p50_turn_duration_ms: 'p50TurnDurationMs',
  p99_turn_duration_ms: 'p99TurnDurationMs',
};

/**
 * The order of threads, by default the most recently updated first. It ends with the id, so that pages do not overlap.
 * @throws Failure for a field that cannot be sorted by.
 */
export function threadOrderSql(sortBy: SortBy[] | null): string {
  checkCount('fields in its sort_by', sortBy?.length ?? 0, queryLimits.sortFields);
  const wanted: SortBy[] = sortBy?.length ? sortBy : [{ field: 'last_updated', direction: 'desc' }];
  const terms = wanted.map(({ field, direction }) => {
    if (!Object.hasOwn(fields, field)) {
      throw invalidInput(`Threads cannot be sorted by ${field}; use ${Object.keys(fields).join(', ')}`);
    }
    return `${fields[field]} ${direction}`;
  });
  return [...terms, 'threadId asc'].join(', ');
}
