import type { QueueKey } from '../../domain/annotation-queues/queue.ts';
import { type Failure, notFound } from '../../util/failures.ts';

/** For requests that change a queue. */
export function notFoundOrDeleted({ queueId }: QueueKey): Failure {
  return notFound(`Queue ${queueId} not found or already deleted`);
}
