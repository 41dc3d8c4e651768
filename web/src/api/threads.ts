import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Spending, spendingIn, spendingOf } from './call-fields.ts';
import type { Call } from './calls.ts';
import { ask, askLines, RequestError } from './client.ts';
import type { AnswerOf, RequestOf } from './contract.ts';
import { type Conversation, readConversations } from './conversations.ts';

export type Thread = AnswerOf<'POST /threads/stream_query'>;

/** One step of a conversation, with the tokens and the cost of everything that it started. */
export type Turn = Spending & { call: Call; conversation: Conversation | null };

type ThreadsBody = RequestOf<'POST /threads/stream_query'>['body'];
export type ThreadsChoice = Pick<ThreadsBody, 'filter' | 'sort_by'>;

/** Threads, page by page. */
export function threadsQuery(projectId: string, choice: ThreadsChoice) {
  return infiniteQueryOptions({
    queryKey: ['threads', projectId, 'list', choice],
    queryFn: ({ pageParam, signal }) =>
      askLines(
        'POST /threads/stream_query',
        {
          body: {
            ...{ ...choice, filter: { ...choice.filter, with_topmost_calls: true } },
            ...{ project_id: projectId, limit: threadsPageSize, offset: pageParam },
          },
        },
        { signal },
      ),
    initialPageParam: 0,
    getNextPageParam: (last: Thread[], pages) =>
      last.length < threadsPageSize ? undefined : pages.length * threadsPageSize,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => (data?.pages[0]?.length ? 5000 * data.pages.length : 2500),
  });
}

/** What threads begin with, by the ids of their first calls. */
export function firstTurnsQuery(projectId: string, ids: string[]) {
  return queryOptions({
    queryKey: ['threads', projectId, 'first-turns', ids],
    queryFn: async ({ signal }) => {
      const body = { project_id: projectId, filter: { call_ids: ids }, columns: ['id'], include_previews: true };
      const calls = await askLines('POST /calls/stream_query', { body }, { signal });
      return new Map(calls.map(({ id, preview }) => [id, preview?.input ?? '']));
    },
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
    gcTime: 10_000, // the ids change whenever a thread begins
  });
}

/** The turns of a thread in the order of their start, page by page. */
export function turnsQuery(projectId: string, threadId: string) {
  return infiniteQueryOptions({
    queryKey: ['threads', projectId, 'turns', threadId],
    queryFn: ({ pageParam, signal }) => readTurns(projectId, { threadId, offset: pageParam }, signal),
    initialPageParam: 0,
    getNextPageParam: (last: Turn[], pages) => (last.length < turnsPageSize ? undefined : pages.length * turnsPageSize),
    refetchInterval: ({ state: { data, error } }) => (error ? false : 5000 * (data?.pages.length || 1)),
  });
}

async function readTurns(
  projectId: string,
  { threadId, offset }: { threadId: string; offset: number },
  signal: AbortSignal,
): Promise<Turn[]> {
  const body = {
    ...{ project_id: projectId, filter: { thread_ids: [threadId], turns_only: true }, include_costs: true },
    ...{ sort_by: [{ field: 'started_at', direction: 'asc' as const }], limit: turnsPageSize, offset },
  };
  const calls = await askLines('POST /calls/stream_query', { body }, { signal });
  const ids = calls.map(({ id }) => id);
  const [usage, conversations] = await Promise.all([
    readUsage(projectId, ids, signal),
    readConversations(projectId, ids, signal),
  ]);
  return calls.map((call) => {
    const used = (representsTrace(call) ? usage.ofTraces[call.trace_id] : usage.ofCalls[call.id]) ?? {};
    const conversation = conversations.get(call.id)?.conversation ?? null;
    return { call, conversation, ...(Object.keys(used).length === 0 ? spendingOf(call) : spendingIn(used)) };
  });
}

/** A turn whose parent is not here: other calls of its trace may be beside it. SDKs mark their turns themselves. */
function representsTrace({ id, parent_id, turn_id }: Call): boolean {
  return parent_id != null && turn_id !== id;
}

type Usage = Record<string, Parameters<typeof spendingIn>[0]>;

/** The usage of calls with all calls below them, and of their traces. If a trace is too large for that, there is none. */
async function readUsage(
  projectId: string,
  ids: string[],
  signal: AbortSignal,
): Promise<{ ofCalls: Usage; ofTraces: Usage }> {
  if (ids.length === 0) return { ofCalls: {}, ofTraces: {} };
  try {
    const body = { project_id: projectId, call_ids: ids, include_costs: true };
    const { call_usage_counted_once: ofCalls, trace_usage: ofTraces } = await ask(
      'POST /calls/usage',
      { body },
      { signal },
    );
    return { ofCalls: ofCalls ?? {}, ofTraces };
  } catch (error) {
    if (error instanceof RequestError && error.status === 413) return { ofCalls: {}, ofTraces: {} };
    throw error;
  }
}

const threadsPageSize = 100;
const turnsPageSize = 50;
