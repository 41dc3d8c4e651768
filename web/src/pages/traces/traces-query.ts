import { queryOptions } from '@tanstack/react-query';
import type { CallsBody } from '../../api/calls.ts';
import { ask, askLines } from '../../api/client.ts';
import type { AnswerOf, RequestOf } from '../../api/contract.ts';
import type { TimeRange } from './time-range.ts';

export type Query = NonNullable<CallsBody['query']>;
type Condition = Record<string, unknown>;

/** Which calls the list shows; all of it comes from the address. */
export type Selection = { projectId: string; isRootsOnly: boolean; query: Query | null };

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

/** Joins the condition of the text with the time range. */
export function withRange(query: Query | null, { from, to }: TimeRange): Query | null {
  const conditions = [
    ...(query === null ? [] : [(query as { $expr: Condition }).$expr]),
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
export function countQuery({ projectId, isRootsOnly, query }: Selection) {
  return queryOptions({
    queryKey: ['calls', projectId, 'count', isRootsOnly, query],
    queryFn: ({ signal }) =>
      ask(
        'POST /calls/query_stats',
        { body: { project_id: projectId, filter: { trace_roots_only: isRootsOnly }, query, limit: countMax } },
        { signal },
      ),
    placeholderData: (before) => before,
  });
}

const countMax = 100_000;

type StatsBody = RequestOf<'POST /calls/stats'>['body'];
export type Stats = AnswerOf<'POST /calls/stats'>;

/** Counts, latencies and costs of the selected calls over time. */
export function statsQuery({ projectId, isRootsOnly, query }: Selection, { from, to }: { from: Date; to: Date }) {
  const body: StatsBody = {
    project_id: projectId,
    start: from.toISOString(),
    end: to.toISOString(),
    granularity: granularityOf(to.getTime() - from.getTime()),
    filter: { trace_roots_only: isRootsOnly },
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

/** Seconds of a bucket: a round number of which a range has about sixty. */
function granularityOf(lengthMs: number): number {
  const wanted = lengthMs / 1000 / 60;
  return granularities.find((each) => each >= wanted) ?? granularities.at(-1)!;
}

const granularities = [60, 300, 900, 1800, 3600, 10_800, 21_600, 43_200, 86_400];

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

/** The traces among these in which a call failed, even if their roots report success. */
export function failedTracesQuery(projectId: string, traceIds: string[]) {
  const failed = { $expr: { $gt: [{ $getField: 'exception' }, { $literal: '' }] } };
  return queryOptions({
    queryKey: ['calls', projectId, 'failed-traces', traceIds],
    queryFn: async ({ signal }) => {
      const body = {
        project_id: projectId,
        filter: { trace_ids: traceIds },
        query: failed,
        columns: ['id'],
        limit: 10_000,
      };
      const calls = await askLines('POST /calls/stream_query', { body }, { signal });
      return new Set(calls.map(({ trace_id }) => trace_id));
    },
    placeholderData: (before) => before,
    enabled: traceIds.length > 0,
    gcTime: 10_000, // a live list asks for other ids all the time
  });
}
