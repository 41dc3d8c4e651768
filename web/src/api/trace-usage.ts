import { queryOptions } from '@tanstack/react-query';
import { type Spending, spendingIn } from './call-fields.ts';
import { ask, RequestError } from './client.ts';

/** What all calls of a trace use, given one of them and how many are stored. Null for a trace that is too large. */
export function traceUsageQuery(projectId: string, trace: { id: string; callId: string; size: number }) {
  return queryOptions({
    queryKey: ['trace', projectId, trace.id, 'usage', trace.size],
    queryFn: async ({ signal }): Promise<{ spending: Spending; isRunning: boolean } | null> => {
      const body = { project_id: projectId, call_ids: [trace.callId], include_costs: true, limit: callsMax };
      try {
        const { trace_usage, unfinished_call_ids } = await ask('POST /calls/usage', { body }, { signal });
        return { spending: spendingIn(trace_usage[trace.id] ?? {}), isRunning: unfinished_call_ids.length > 0 };
      } catch (error) {
        if (error instanceof RequestError && error.status === 413) return null;
        throw error;
      }
    },
    placeholderData: (before, query) => (query?.queryKey[2] === trace.id ? before : undefined),
    refetchInterval: ({ state: { data } }) => (data?.isRunning ? 5000 : false),
  });
}

const callsMax = 20_000;
