import type { SortBy } from '../../../../contract/calls/filter.ts';
import type { FoundCall } from '../../../../domain/calls/found-call.ts';
import { fieldPaths } from '../../../../domain/query/operation.ts';
import { invalidInput } from '../../../../util/failures.ts';
import { oneAhead } from '../../../../util/one-ahead.ts';
import type { ClickHouse } from '../../clickhouse.ts';
import { type CallsSelection, compileSelection } from '../sql/calls-query.ts';
import type { Expansions } from '../sql/expansions-sql.ts';
import { foundCallColumns, type MoreOfCalls, payloadSizeSql, type SelectedColumns } from '../sql/found-call-sql.ts';
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
  MoreOfCalls & {
    /** Null reads the oldest first. */
    sortBy: SortBy[] | null;
    limit: number | null;
    offset: number | null;
    columns: SelectedColumns;
    includeTotalStorageSize: boolean;
    /** Places whose refs are followed, for filtering and sorting and, if wanted, in the answer. */
    expansion: RefExpansion | null;
  };

/**
 * Checks a read and gives its calls in order, page by page: memory does not grow with the answer. What is wrong with
 * the request is thrown before the first page.
 *
 * A page is found in two steps: a narrow read yields keys, and a second one the newest versions that lie there. Read by
 * time from the start the keys come without FINAL (see `keysByTime`); any other order or an offset needs it.
 *
 * @throws Failure for a filter, query, sort or limit that cannot be.
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
 * Compiles once without values of refs, so that mistakes show before anything is read.
 * @returns in which direction the calls are read by time; null for another order
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

/** Each step looks at the feedback anew, where it is asked for. */
function firstStep({ query }: CallsRead): number {
  const asksForFeedback = query !== null && fieldPaths(query).some((path) => path.startsWith('feedback.'));
  return asksForFeedback ? keysMax : 1000;
}

/** So few calls are read in one page whatever their size: asking for sizes costs 4 ms, and 40 where many parts wait to be merged. */
const smallLimit = 100;

async function complete(clickhouse: ClickHouse, read: CallsRead, calls: FoundCall[]): Promise<FoundCall[]> {
  const sized = read.includeTotalStorageSize ? await withTraceSizes(clickhouse, read.projectId, calls) : calls;
  return read.expansion?.returnsValues ? expandCalls(sized, read.expansion) : sized;
}
