import { queryOptions } from '@tanstack/react-query';
import { type Spending, spendingIn } from './call-fields.ts';
import { ask, RequestError } from './client.ts';
import type { AnswerOf } from './contract.ts';

/** What all calls of a trace use, given one of them and how many are stored. Null for a trace that is too large. */
export function traceUsageQuery(projectId: string, trace: { id: string; callId: string; size: number }) {
  return queryOptions({
    queryKey: ['trace', projectId, trace.id, 'usage', trace.size],
    queryFn: async ({ signal }): Promise<{ spending: Spending; isRunning: boolean } | null> => {
      const usage = await readUsage(projectId, [trace.callId], signal);
      if (usage === null) return null;
      return {
        spending: spendingIn(usage.trace_usage[trace.id] ?? {}),
        isRunning: usage.unfinished_call_ids.length > 0,
      };
    },
    placeholderData: (before, query) => (query?.queryKey[2] === trace.id ? before : undefined),
    refetchInterval: ({ state: { data } }) => (data?.isRunning ? 5000 : false),
  });
}

/** What all calls of several traces use, by the ids of the traces, given a call of each. Traces that are too large are left out. */
export function tracesUsageQuery(projectId: string, callIds: string[]) {
  return queryOptions({
    queryKey: ['calls', projectId, 'traces-usage', callIds],
    queryFn: async ({ signal }) => {
      const found = new Map<string, Spending>();
      let isRunning = false;
      for (const usage of await readSmallTraces(projectId, callIds, signal)) {
        for (const [id, used] of Object.entries(usage.trace_usage)) found.set(id, spendingIn(used));
        isRunning ||= usage.unfinished_call_ids.length > 0;
      }
      return { found, isRunning };
    },
    placeholderData: (before) => before,
    enabled: callIds.length > 0,
    refetchInterval: ({ state: { data } }) => (data?.isRunning ? 5000 : false),
    gcTime: 10_000, // a live list asks for other ids all the time
  });
}

type Usage = AnswerOf<'POST /calls/usage'>;

/** A trace that is too large fails the request for all: the others are asked for without it. */
async function readSmallTraces(projectId: string, callIds: string[], signal: AbortSignal): Promise<Usage[]> {
  const usage = await readUsage(projectId, callIds, signal);
  if (usage !== null) return [usage];
  if (callIds.length === 1) return [];
  const half = Math.ceil(callIds.length / 2);
  const parts = [callIds.slice(0, half), callIds.slice(half)];
  return (await Promise.all(parts.map((part) => readSmallTraces(projectId, part, signal)))).flat();
}

/** Null if a trace is too large. */
async function readUsage(projectId: string, callIds: string[], signal: AbortSignal): Promise<Usage | null> {
  const body = { project_id: projectId, call_ids: callIds, include_costs: true, limit: callsMax };
  try {
    return await ask('POST /calls/usage', { body }, { signal });
  } catch (error) {
    if (error instanceof RequestError && error.status === 413) return null;
    throw error;
  }
}

const callsMax = 20_000;
