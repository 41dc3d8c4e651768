import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { ask } from '../../api/client.ts';
import type { AnswerOf, RequestOf } from '../../api/contract.ts';
import { granularityOf } from '../../format/time-range.ts';

type StatsBody = RequestOf<'POST /calls/stats'>['body'];
export type Stats = AnswerOf<'POST /calls/stats'>;
export type Grouping = NonNullable<StatsBody['group_by']>;

type Choice = { from: Date; to: Date; by: Grouping | null; isRootsOnly: boolean };

/** Counts, latencies, tokens and costs over time, of all calls or by group. */
export function dashboardQuery(projectId: string, { from, to, by, isRootsOnly }: Choice) {
  const body: StatsBody = {
    project_id: projectId,
    start: from.toISOString(),
    end: to.toISOString(),
    granularity: granularityOf(to.getTime() - from.getTime()),
    filter: { topmost_calls_only: isRootsOnly },
    group_by: by,
    call_metrics: [
      { metric: 'call_count' },
      { metric: 'error_count' },
      { metric: 'latency_ms', aggregations: [], percentiles: [50, 95] },
    ],
    usage_metrics: [{ metric: 'input_tokens' }, { metric: 'output_tokens' }, { metric: 'total_cost' }],
  };
  return queryOptions({
    queryKey: ['calls', projectId, 'dashboard', body],
    queryFn: ({ signal }) => ask('POST /calls/stats', { body }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
    gcTime: 60_000, // the range moves on with every minute
  });
}
