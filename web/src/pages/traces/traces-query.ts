import { queryOptions } from '@tanstack/react-query';
import type { CallsBody } from '../../api/calls.ts';
import { ask, askLines } from '../../api/client.ts';
import type { AnswerOf, RequestOf } from '../../api/contract.ts';
import type { CallsFilter } from '../../api/saved-views.ts';
import { granularityOf, type TimeRange } from '../../format/time-range.ts';

export type Query = NonNullable<CallsBody['query']>;
type Condition = Record<string, unknown>;

/** Which calls the list shows; all of it comes from the address. */
export type Selection = { projectId: string; filter: CallsFilter; query: Query | null };

/** The query of a text that the user typed; null for an empty one. */
export function parsedQuery(text: string) {
  return queryOptions({
    queryKey: ['parsed', text],
    queryFn: async ({ signal }): Promise<Query | null> =>
      text === '' ? null : ((await ask('POST /calls/parse_query', { body: { text } }, { signal })).query as Query),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}

/** The conditions of a query, which are all met. */
export function operandsOf(query: Query): unknown[] {
  const { $expr } = query as { $expr?: Condition };
  if ($expr === undefined) return [];
  return Array.isArray($expr.$and) ? $expr.$and : [$expr];
}

/** Joins the condition of the text with other ones and the time range. */
export function withRange(query: Query | null, others: unknown[], { from, to }: TimeRange): Query | null {
  const conditions = [
    ...(query === null ? [] : [(query as { $expr: Condition }).$expr]),
    ...(others as Condition[]),
    ...(from === null ? [] : [compare('$gte', from.toISOString())]),
    ...(to === null ? [] : [compare('$lt', to.toISOString())]),
  ];
  return joined(conditions);
}

/** The calls from a time on down, for the next page: however far down, a page costs the same. */
export function startedUntil(query: Query | null, time: string): Query | null {
  const before = query === null ? [] : [(query as { $expr: Condition }).$expr];
  return joined([...before, { $not: [compare('$gt', time)] }]);
}

function joined(conditions: Condition[]): Query | null {
  if (conditions.length === 0) return null;
  return { $expr: conditions.length === 1 ? conditions[0] : { $and: conditions } } as Query;
}

function compare(operator: string, time: string): Condition {
  return { [operator]: [{ $getField: 'started_at' }, { $literal: time }] };
}

/** How many calls are selected, counted up to a limit. */
export function countQuery({ projectId, filter, query }: Selection, limit = countMax) {
  return queryOptions({
    queryKey: ['calls', projectId, 'count', filter, query, limit],
    queryFn: ({ signal }) =>
      ask('POST /calls/query_stats', { body: { project_id: projectId, filter, query, limit } }, { signal }),
    placeholderData: (before) => before,
  });
}

const countMax = 100_000;

type StatsBody = RequestOf<'POST /calls/stats'>['body'];
export type Stats = AnswerOf<'POST /calls/stats'>;

/** Counts, latencies and costs of the selected calls over time. */
export function statsQuery({ projectId, filter, query }: Selection, { from, to }: { from: Date; to: Date }) {
  const body: StatsBody = {
    project_id: projectId,
    start: from.toISOString(),
    end: to.toISOString(),
    granularity: granularityOf(to.getTime() - from.getTime()),
    filter,
    query,
    call_metrics: [
      { metric: 'call_count' },
      { metric: 'error_count' },
      { metric: 'latency_ms', aggregations: [], percentiles: [50, 95] },
    ],
    usage_metrics: [{ metric: 'total_cost' }],
  };
  return queryOptions({
    queryKey: ['calls', projectId, 'stats', body],
    queryFn: ({ signal }) => ask('POST /calls/stats', { body }, { signal }),
    placeholderData: (before) => before,
  });
}

/** When the oldest and the newest of all calls of a project started; null without calls. */
export function extentQuery(projectId: string) {
  const read = async (direction: 'asc' | 'desc', signal: AbortSignal) => {
    const sort_by = [{ field: 'started_at', direction }];
    const body = { project_id: projectId, sort_by, columns: ['id'], limit: 1 };
    const [call] = await askLines('POST /calls/stream_query', { body }, { signal });
    return call ? Date.parse(call.started_at) : null;
  };
  return queryOptions({
    queryKey: ['calls', projectId, 'extent'],
    queryFn: async ({ signal }) => {
      const [oldest, newest] = await Promise.all([read('asc', signal), read('desc', signal)]);
      return oldest === null || newest === null ? null : { oldest, newest };
    },
    staleTime: 60_000,
    retry: false,
  });
}

type Extent = { oldest: number; newest: number };

/** The range that charts show: that of the list, or all that there is, of which the server measures the last 30 days. */
export function chartRange({ from, to }: TimeRange, extent: Extent, now: number): { from: Date; to: Date } {
  const end = to?.getTime() ?? (from === null ? Math.min(now, extent.newest + minuteMs) : now);
  const start = from?.getTime() ?? Math.min(extent.oldest, end - hourMs);
  const begin = Math.max(start, end - 30 * 24 * hourMs);
  return {
    from: new Date(Math.floor(begin / minuteMs) * minuteMs),
    to: new Date(Math.ceil(end / minuteMs) * minuteMs),
  };
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
