import type { FoundCall } from '../../../../domain/calls/found-call.ts';
import { fieldPaths } from '../../../../domain/query/operation.ts';
import type { SortBy } from '../../../../domain/query/sort-by.ts';
import { invalidInput } from '../../../../util/failures.ts';
import { oneAhead } from '../../../../util/one-ahead.ts';
import type { ClickHouse } from '../../clickhouse.ts';
import { type CallsSelection, compileSelection } from '../sql/calls-query.ts';
import type { Expansions } from '../sql/expansions-sql.ts';
import { foundCallColumns, type MoreColumns, payloadSizeSql, type SelectedColumns } from '../sql/found-call-sql.ts';
import { callOrder } from '../sql/sort-sql.ts';
import { expandCalls } from './expand-calls.ts';
import { type CallKey, fetchCalls, pagesOfKeys } from './fetch-calls.ts';
import { keysByTime, keysMax } from './keys-by-time.ts';
import { keysInOrder } from './keys-in-order.ts';
import { locateCalls, locatedKeys } from './locate-calls.ts';
import { type RefExpansion, resolveExpansions } from './resolve-expansions.ts';
import { withTraceSizes } from './storage-sizes.ts';
import { withIndexed } from './with-indexed.ts';

export type CallsRead = CallsSelection &
  MoreColumns & {
    /** Null reads the oldest first. */
    sortBy: SortBy[] | null;
    limit: number | null;
    offset: number | null;
    columns: SelectedColumns;
    includeTotalStorageSize: boolean;
    /** Locations whose refs are resolved, for filtering and sorting and, if requested, in the response. */
    expansion: RefExpansion | null;
  };

/**
 * Validates a read and returns its calls in order, page by page: memory use is independent of the size of the response.
 * Errors in the request are thrown before the first page.
 * A page is read in two steps: a narrow query finds keys, and a second one reads the newest versions at these keys.
 * When reading by time from the start, keys need no FINAL (see `keysByTime`); any other order or an offset needs it.
 * @throws Failure for an invalid filter, query, sort or limit.
 */
export async function readCalls(clickhouse: ClickHouse, read: CallsRead): Promise<AsyncIterable<FoundCall[]>> {
  if ((read.limit ?? 0) < 0) throw invalidInput(`limit must not be negative, found ${read.limit}`);
  if ((read.offset ?? 0) < 0) throw invalidInput(`offset must not be negative, found ${read.offset}`);
  const byTime = check(read);
  const paths = [...(read.query ? fieldPaths(read.query) : []), ...(read.sortBy ?? []).map(({ field }) => field)];
  const expansions = await resolveExpansions(clickhouse, read, read.expansion, paths);
  const located = await locateCalls(clickhouse, read);
  const startTimes = located?.map(({ startedAt }) => startedAt);
  const callIds = located?.map(({ id }) => id);
  const indexed = await withIndexed(clickhouse, read, paths);
  return oneAhead(pages(clickhouse, { ...indexed, startTimes, callIds }, { expansions, located, byTime }));
}

/**
 * Compiles once without the values of refs, to report invalid requests before reading anything.
 * @returns the direction in which the calls are read by time; null for any other order
 */
function check(read: CallsRead): 'asc' | 'desc' | null {
  return callOrder(read.sortBy, compileSelection(read, []).resolveField).byTime;
}

async function* pages(
  clickhouse: ClickHouse,
  read: CallsRead,
  { expansions, located, byTime }: { expansions: Expansions; located: CallKey[] | null; byTime: 'asc' | 'desc' | null },
): AsyncGenerator<FoundCall[]> {
  const { sortBy, offset } = read;
  const isSmall = read.limit !== null && read.limit <= smallLimit;
  const bytes = isSmall ? '0' : payloadSizeSql(read.columns);
  const areOnlyLikely = byTime !== null && !offset;
  const nextKeys = areOnlyLikely
    ? located
      ? locatedKeys(located, byTime)
      : keysByTime(clickhouse, read, { expansions, direction: byTime, bytes, firstStep: firstStep(read) })
    : keysInOrder(clickhouse, read, { expansions, sortBy, offset: offset ?? 0, bytes });
  let remaining = read.limit ?? Number.POSITIVE_INFINITY;
  while (remaining > 0) {
    const keys = await nextKeys(remaining);
    if (keys.length === 0) return;
    for (const page of pagesOfKeys(keys)) {
      const { params, conditions } = compileSelection({ ...read, callIds: page.map(({ id }) => id) }, expansions);
      const calls = await fetchCalls(clickhouse, {
        projectId: read.projectId,
        keys: page,
        select: foundCallColumns(read.columns, read),
        conditions: areOnlyLikely ? conditions : [],
        params,
      });
      remaining -= calls.length;
      if (calls.length > 0) yield await complete(clickhouse, read, calls);
    }
  }
}

/** Each step reads the feedback again, if it is needed. */
function firstStep({ query }: CallsRead): number {
  const asksForFeedback = query !== null && fieldPaths(query).some((path) => path.startsWith('feedback.'));
  return asksForFeedback ? keysMax : 1000;
}

/**
 * This many calls are read in one page regardless of their size: reading sizes costs 4 ms, and 40 if many parts are
 * waiting to be merged.
 */
const smallLimit = 100;

async function complete(clickhouse: ClickHouse, read: CallsRead, calls: FoundCall[]): Promise<FoundCall[]> {
  const sized = read.includeTotalStorageSize ? await withTraceSizes(clickhouse, read.projectId, calls) : calls;
  return read.expansion?.returnsValues ? expandCalls(sized, read.expansion) : sized;
}
