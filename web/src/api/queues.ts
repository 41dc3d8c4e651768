import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { ask, askLines } from './client.ts';
import type { AnswerOf } from './contract.ts';

export type Queue = AnswerOf<'POST /annotation_queues/query'>;
export type QueueItem = AnswerOf<'POST /annotation_queues/{queue_id}/items/query'>['items'][number];
export type QueueStats = AnswerOf<'POST /annotation_queues/stats'>['stats'][number];
type State = QueueItem['annotation_state'];

/** The queues of a project, the newest first. */
export function queuesQuery(projectId: string) {
  return infiniteQueryOptions({
    queryKey: ['queues', projectId, 'list'],
    queryFn: ({ pageParam, signal }) =>
      askLines(
        'POST /annotation_queues/query',
        { body: { project_id: projectId, limit: pageSize, offset: pageParam } },
        { signal },
      ),
    initialPageParam: 0,
    getNextPageParam: (last: Queue[], pages) => (last.length < pageSize ? undefined : pages.length * pageSize),
  });
}

export function queueQuery(projectId: string, queueId: string) {
  return queryOptions({
    queryKey: ['queues', projectId, 'queue', queueId],
    queryFn: async ({ signal }) => {
      const request = { params: { queue_id: queueId }, query: { project_id: projectId } };
      return (await ask('GET /annotation_queues/{queue_id}', request, { signal })).queue;
    },
  });
}

/** How far annotators are with queues, by the ids of the queues. */
export function queueStatsQuery(projectId: string, ids: string[]) {
  return queryOptions({
    queryKey: ['queues', projectId, 'stats', ids],
    queryFn: async ({ signal }) => {
      const body = { project_id: projectId, queue_ids: ids, include_own: true };
      const { stats } = await ask('POST /annotation_queues/stats', { body }, { signal });
      return new Map(stats.map((each) => [each.queue_id, each]));
    },
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
}

/** The first items that the user has not finished. */
export function ownItemsQuery(projectId: string, queueId: string) {
  return queryOptions({
    queryKey: ['queues', projectId, 'own-items', queueId],
    queryFn: ({ signal }) =>
      askItems(
        { projectId, queueId, filter: { own_states: ['unstarted', 'in_progress'] }, limit: ownItemsMax, offset: 0 },
        signal,
      ),
  });
}

export const ownItemsMax = 30;

/** All items, page by page. */
export function itemsQuery(projectId: string, queueId: string) {
  return infiniteQueryOptions({
    queryKey: ['queues', projectId, 'items', queueId],
    queryFn: ({ pageParam, signal }) =>
      askItems({ projectId, queueId, filter: {}, limit: pageSize, offset: pageParam }, signal),
    initialPageParam: 0,
    getNextPageParam: (last: QueueItem[], pages) => (last.length < pageSize ? undefined : pages.length * pageSize),
  });
}

type ItemsRequest = {
  projectId: string;
  queueId: string;
  filter: { own_states?: State[] };
  limit: number;
  offset: number;
};

async function askItems({ projectId, queueId, ...page }: ItemsRequest, signal: AbortSignal): Promise<QueueItem[]> {
  const body = { ...page, project_id: projectId, include_position: true, include_own_state: true };
  const request = { params: { queue_id: queueId }, body };
  return (await ask('POST /annotation_queues/{queue_id}/items/query', request, { signal })).items;
}

const pageSize = 100;
