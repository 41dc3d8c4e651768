import { queryOptions } from '@tanstack/react-query';
import { ask, askLines } from './client.ts';
import type { AnswerOf, RequestOf } from './contract.ts';

export type Call = AnswerOf<'POST /calls/stream_query'>;
export type CallsBody = RequestOf<'POST /calls/stream_query'>['body'];

/** One call with everything; null if there is none. */
export function callQuery(projectId: string, id: string) {
  return queryOptions({
    queryKey: ['call', projectId, id],
    queryFn: async ({ signal }) => {
      const { call } = await ask(
        'POST /call/read',
        { body: { project_id: projectId, id, include_costs: true } },
        { signal },
      );
      return call;
    },
    refetchInterval: ({ state: { data } }) => (data && data.ended_at == null ? 2000 : false),
  });
}

/** Some calls with everything, in the order of the ids; those that do not exist are left out. */
export function callsByIdQuery(projectId: string, ids: string[]) {
  return queryOptions({
    queryKey: ['calls', projectId, 'by-id', ids],
    queryFn: async ({ signal }) => {
      const body = { project_id: projectId, filter: { call_ids: ids } };
      const calls = await askLines('POST /calls/stream_query', { body }, { signal });
      const byId = new Map(calls.map((call) => [call.id, call]));
      return ids.flatMap((id) => byId.get(id) ?? []);
    },
  });
}

type PartOfTrace = { calls: Call[]; isWhole: boolean };

/**
 * What the tree shows of the calls of a trace, in the order of their start: the first ones with their summaries, and whether
 * these are all.
 */
export function traceQuery(projectId: string, traceId: string) {
  return queryOptions({
    queryKey: ['trace', projectId, traceId],
    queryFn: async ({ signal }): Promise<PartOfTrace> => {
      const columns = [...treeColumns, 'summary'];
      const calls = await readTrace(projectId, traceId, signal, { columns, include_costs: true, limit: firstCallsMax });
      return { calls, isWhole: calls.length < firstCallsMax };
    },
    refetchInterval: ({ state: { data } }) => data?.calls.some((call) => call.ended_at == null) && 3000,
  });
}

/** All calls of a long trace. Summaries hold tokens and costs, but are most of a call's size: it is read without them. */
export function longTraceQuery(projectId: string, traceId: string) {
  return queryOptions({
    queryKey: ['trace', projectId, traceId, 'all'],
    queryFn: ({ signal }) => readTrace(projectId, traceId, signal, { columns: treeColumns }),
    // The longer it is, the less often it is read: 20,000 calls every 20 seconds.
    refetchInterval: ({ state: { data } }) => data?.some((call) => call.ended_at == null) && data.length,
  });
}

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

function readTrace(
  projectId: string,
  traceId: string,
  signal: AbortSignal,
  asked: Partial<CallsBody>,
): Promise<Call[]> {
  const body = { project_id: projectId, filter: { trace_ids: [traceId] }, sort_by: oldestFirst, ...asked };
  return askLines('POST /calls/stream_query', { body }, { signal });
}

const firstCallsMax = 2000;
const oldestFirst = [{ field: 'started_at', direction: 'asc' as const }];
const treeColumns = ['parent_id', 'op_name', 'display_name', 'started_at', 'ended_at', 'exception', 'thread_id'];
