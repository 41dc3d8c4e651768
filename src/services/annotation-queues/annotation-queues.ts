import { newId, type ProjectId } from '../../contract/ids.ts';
import type { QueueItem } from '../../domain/annotation-queues/item.ts';
import type { AnnotationQueue, QueueKey } from '../../domain/annotation-queues/queue.ts';
import { checkPage } from '../../domain/query/page.ts';
import { deleteQueue, type QueueChanges, updateQueue } from '../../store/postgres/annotation-queues/change-queue.ts';
import {
  type CountedQueues,
  countItems,
  type QueueCounts,
} from '../../store/postgres/annotation-queues/count-items.ts';
import { createQueue, type NewQueue } from '../../store/postgres/annotation-queues/create-queue.ts';
import { type FoundItem, type ItemsQuery, queryItems } from '../../store/postgres/annotation-queues/query-items.ts';
import { type QueuesQuery, queryQueues } from '../../store/postgres/annotation-queues/query-queues.ts';
import { findQueue } from '../../store/postgres/annotation-queues/queue.ts';
import { type Progress, updateProgress } from '../../store/postgres/annotation-queues/update-progress.ts';
import { type Failure, notFound } from '../../util/failures.ts';
import type { Deps } from '../deps.ts';
import { type AddedCalls, addCalls, type CallsToAdd } from './add-calls.ts';
import { notFoundOrDeleted } from './not-found.ts';

/** Operations on annotation queues and the calls in them. */
export type AnnotationQueues = {
  /** @returns the id of the new queue */
  create(projectId: ProjectId, queue: Omit<NewQueue, 'id'>): Promise<string>;
  /** @throws Failure if the queue does not exist or is deleted */
  read(key: QueueKey): Promise<AnnotationQueue>;
  /** Queues that are not deleted. @throws Failure for an invalid page or too many sort fields */
  query(query: QueuesQuery): Promise<AnnotationQueue[]>;
  /** @throws Failure if the queue does not exist or is deleted */
  update(key: QueueKey, changes: QueueChanges): Promise<AnnotationQueue>;
  /** @throws Failure if the queue does not exist or was deleted before */
  delete(key: QueueKey): Promise<AnnotationQueue>;
  /** Calls that the project does not have are ignored. @throws Failure if the queue does not exist or is deleted */
  addCalls(key: QueueKey, calls: CallsToAdd): Promise<AddedCalls>;
  /** The items of a queue, even of a deleted one. @throws Failure for an unknown queue, or an invalid page */
  queryItems(key: QueueKey, query: Omit<ItemsQuery, 'queueId'>): Promise<FoundItem[]>;
  /** One entry for each id, in the given order, each id once; unknown queues have no items. */
  countItems(queues: CountedQueues): Promise<QueueCounts[]>;
  /** Records an annotator's action. @throws Failure for an unknown item or an invalid transition */
  updateProgress(progress: Progress): Promise<QueueItem>;
};

export function openAnnotationQueues(deps: Pick<Deps, 'clickhouse' | 'postgres'>): AnnotationQueues {
  const { postgres } = deps;
  return {
    async create(projectId, queue) {
      const id = newId();
      await createQueue(postgres, projectId, { ...queue, id });
      return id;
    },

    async read(key) {
      const queue = await findQueue(postgres.db, key);
      if (queue === null || queue.deletedAt !== null) throw unknownQueue(key);
      return queue;
    },

    async query(query) {
      checkPage(query, pageRequirement);
      return queryQueues(postgres, query);
    },

    async update(key, changes) {
      const isNothing = Object.values(changes).every((value) => value === null);
      const queue = isNothing ? await findQueue(postgres.db, key) : await updateQueue(postgres, key, changes);
      if (queue === null || queue.deletedAt !== null) throw notFoundOrDeleted(key);
      return queue;
    },

    async delete(key) {
      const queue = await deleteQueue(postgres, key);
      if (queue === null) throw notFoundOrDeleted(key);
      return queue;
    },

    addCalls: (key, calls) => addCalls(deps, key, calls),

    async queryItems(key, query) {
      checkPage(query, pageRequirement);
      if ((await findQueue(postgres.db, key)) === null) throw unknownQueue(key);
      return queryItems(postgres, { ...query, queueId: key.queueId });
    },

    async countItems(queues) {
      const queueIds = [...new Set(queues.queueIds)];
      const counts = new Map((await countItems(postgres, { ...queues, queueIds })).map((each) => [each.queueId, each]));
      return queueIds.map((queueId) => counts.get(queueId) ?? { queueId, items: 0, done: 0, ownDone: 0 });
    },

    async updateProgress(progress) {
      const item = await updateProgress(postgres, progress);
      if (item !== null) return item;
      throw notFound(`Queue item '${progress.itemId}' not found in queue '${progress.queue.queueId}'`);
    },
  };
}

/** In the wording that clients expect. */
const pageRequirement = 'a positive integer';

function unknownQueue({ queueId }: QueueKey): Failure {
  return notFound(`Queue ${queueId} not found`);
}
