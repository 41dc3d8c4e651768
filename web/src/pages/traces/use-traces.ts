import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Call } from '../../api/calls.ts';
import { askLines } from '../../api/client.ts';
import { isMissing } from '../../api/missing.ts';
import { type Selection, startedUntil } from './traces-query.ts';

export type Sort = { field: string; isDescending: boolean };

const pageSize = 100;
const newestFirst: Sort = { field: 'started_at', isDescending: true };

/**
 * Where the next page begins: by time for the usual order, since that costs the same however far down. The offset is among
 * the calls that started at this time or earlier.
 */
type Cursor = { until: string | null; offset: number };

type Options = { selection: Selection; sort: Sort | null; isLive: boolean; isReady: boolean };

/** The selected calls, page by page. While others are loaded, those of before stay. */
export function useTraces({ selection, sort, isLive, isReady }: Options) {
  const { projectId, filter, query } = selection;
  const order = sort ?? newestFirst;
  const isByTime = order.field === 'started_at' && order.isDescending;
  const result = useInfiniteQuery({
    queryKey: ['calls', projectId, 'list', filter, query, order],
    queryFn: ({ pageParam, signal }) =>
      askLines(
        'POST /calls/stream_query',
        {
          body: {
            project_id: projectId,
            filter,
            query: pageParam.until === null ? query : startedUntil(query, pageParam.until),
            sort_by: [{ field: order.field, direction: order.isDescending ? 'desc' : 'asc' }],
            include_costs: true,
            include_previews: true,
            limit: pageSize,
            offset: pageParam.offset,
          },
        },
        { signal },
      ),
    initialPageParam: { until: null, offset: 0 } as Cursor,
    getNextPageParam: (last, pages, cursor): Cursor | undefined => {
      if (last.length < pageSize) return undefined;
      return isByTime ? cursorAfter(last, cursor) : { until: null, offset: pages.length * pageSize };
    },
    enabled: isReady,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => {
      // All pages that were scrolled to are read again, so many pages are read less often.
      if (isLive) return 2000 * (state.data?.pages.length || 1);
      // A project is created by its first write: until then it is shown as an empty one.
      return state.error || state.data?.pages[0]?.length === 0 ? 2500 : false;
    },
  });
  const calls = useMemo(() => unique(result.data?.pages.flat() ?? []), [result.data]);
  return { ...result, calls, isMissing: isMissing(result.error) };
}

/** Calls of one time can fill a page: the next one then begins further down among them. */
function cursorAfter(page: Call[], { until, offset }: Cursor): Cursor {
  const [first, last] = [page[0]!.started_at, page.at(-1)!.started_at];
  const read = until === null || until === last ? offset + pageSize : pageSize;
  return { until: last, offset: first === last ? read : 0 };
}

/** Pages overlap in the calls that started at the same time. */
function unique(calls: Call[]): Call[] {
  return [...new Map(calls.map((call) => [call.id, call])).values()];
}
