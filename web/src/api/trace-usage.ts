import { queryOptions } from '@tanstack/react-query';
import { type Spending, spendingIn, spendingOf } from './call-fields.ts';
import type { Call } from './calls.ts';
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

/** A call of a list, with what all calls of its trace use if it represents the trace and does not report this itself. */
export type ListedCall = Call & { ofTrace?: Spending };

/** Of the whole trace if the call represents it. */
export function spendingOfListed(call: ListedCall): Spending {
  return call.ofTrace ?? spendingOf(call);
}

/** The SDKs add the usage of a trace to its root; spans, and calls whose parent is not here, report only their own. */
export function isSilent(call: Call): boolean {
  return call.parent_id != null || spendingOf(call).tokens === null;
}

export function withSpending(calls: Call[], ofTraces: ReadonlyMap<string, Spending>): ListedCall[] {
  if (ofTraces.size === 0) return calls;
  return calls.map((call) => {
    const ofTrace = isSilent(call) ? ofTraces.get(call.trace_id) : undefined;
    return ofTrace?.tokens ? { ...call, ofTrace } : call;
  });
}

/** What all calls of several traces use, by the ids of the traces, given a call of each. Traces that are too large are left out. */
export function tracesUsageQuery(projectId: string, callIds: string[]) {
  return queryOptions({
    queryKey: ['calls', projectId, 'traces-usage', callIds],
    queryFn: ({ signal }) => readTracesUsage(projectId, callIds, signal),
    placeholderData: (before) => before,
    enabled: callIds.length > 0,
    refetchInterval: ({ state: { data } }) => (data?.isRunning ? 5000 : false),
    gcTime: 10_000, // a live list asks for other ids all the time
  });
}

type TracesUsage = { found: Map<string, Spending>; isRunning: boolean };

/** At most a thousand calls. */
export async function readTracesUsage(
  projectId: string,
  callIds: string[],
  signal?: AbortSignal,
): Promise<TracesUsage> {
  const found = new Map<string, Spending>();
  let isRunning = false;
  for (const usage of await readSmallTraces(projectId, callIds, signal)) {
    for (const [id, used] of Object.entries(usage.trace_usage)) found.set(id, spendingIn(used));
    isRunning ||= usage.unfinished_call_ids.length > 0;
  }
  return { found, isRunning };
}

type Usage = AnswerOf<'POST /calls/usage'>;

/** A trace that is too large fails the request for all: the others are asked for without it. */
async function readSmallTraces(projectId: string, callIds: string[], signal?: AbortSignal): Promise<Usage[]> {
  if (callIds.length === 0) return [];
  const usage = await readUsage(projectId, callIds, signal);
  if (usage !== null) return [usage];
  if (callIds.length === 1) return [];
  const half = Math.ceil(callIds.length / 2);
  const parts = [callIds.slice(0, half), callIds.slice(half)];
  return (await Promise.all(parts.map((part) => readSmallTraces(projectId, part, signal)))).flat();
}

/** Null if a trace is too large. */
async function readUsage(projectId: string, callIds: string[], signal?: AbortSignal): Promise<Usage | null> {
  const body = { project_id: projectId, call_ids: callIds, include_costs: true, limit: callsMax };
  try {
    return await ask('POST /calls/usage', { body }, signal ? { signal } : {});
  } catch (error) {
    if (error instanceof RequestError && error.status === 413) return null;
    throw error;
  }
}

const callsMax = 20_000;
