import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Call } from '../../api/calls.ts';
import { askLines, RequestError } from '../../api/client.ts';
import { type Selection, startedUntil } from './traces-query.ts';

export type Sort = { field: string; isDescending: boolean };

const pageSize = 100;
const newestFirst: Sort = { field: 'started_at', isDescending: true };

/** Where the next page begins: by time for the usual order, since that costs the same however far down. */
type Cursor = { until: string | null; offset: number };

type Options = { selection: Selection; sort: Sort | null; isLive: boolean; isReady: boolean };

/** The selected calls, page by page. While others are loaded, those of before stay. */
export function useTraces({ selection, sort, isLive, isReady }: Options) {
  const { projectId, isRootsOnly, query } = selection;
  const order = sort ?? newestFirst;
  const isByTime = order.field === 'started_at' && order.isDescending;
  const result = useInfiniteQuery({
    queryKey: ['calls', projectId, 'list', isRootsOnly, query, order],
    queryFn: ({ pageParam, signal }) =>
      askLines(
        'POST /calls/stream_query',
        {
          body: {
            project_id: projectId,
            filter: { trace_roots_only: isRootsOnly },
            query: pageParam.until === null ? query : startedUntil(query, pageParam.until),
            sort_by: [{ field: order.field, direction: order.isDescending ? 'desc' : 'asc' }],
            include_costs: true,
            limit: pageSize,
            offset: pageParam.offset,
          },
        },
        { signal },
      ),
    initialPageParam: { until: null, offset: 0 } as Cursor,
    getNextPageParam: (last, pages): Cursor | undefined => {
      if (last.length < pageSize) return undefined;
      const lastStart = last.at(-1)!.started_at;
      // Many calls of one time could fill a page: then the next is found by its position.
      const isOneTime = last[0]!.started_at === lastStart;
      return isByTime && !isOneTime
        ? { until: lastStart, offset: 0 }
        : { until: null, offset: pages.length * pageSize };
    },
    enabled: isReady,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => {
      if (isLive) return 2000;
      // A project is created by its first write: until then it is shown as an empty one.
      return state.error || state.data?.pages[0]?.length === 0 ? 2500 : false;
    },
  });
  const calls = useMemo(() => unique(result.data?.pages.flat() ?? []), [result.data]);
  const isMissing = result.error instanceof RequestError && result.error.status === 404;
  return { ...result, calls, isMissing };
}

/** Pages overlap in the calls that started at the same time. */
function unique(calls: Call[]): Call[] {
  return [...new Map(calls.map((call) => [call.id, call])).values()];
}
