import { annotationQueueAddCalls } from './add-calls.ts';
import { annotationQueueCreate } from './create.ts';
import { annotationQueueDelete } from './delete.ts';
import { annotationQueuesQuery } from './query.ts';
import { annotationQueueQueryItems } from './query-items.ts';
import { annotationQueueRead } from './read.ts';
import { annotationQueuesStats } from './stats.ts';
import { annotationQueueUpdate } from './update.ts';
import { annotationQueueUpdateProgress } from './update-progress.ts';

/** The endpoints of this group, in the order of the documentation. `api/annotation-queues/routes.ts` has a handler for each. */
export const annotationQueueEndpoints = {
  annotationQueueCreate,
  annotationQueuesQuery,
  annotationQueuesStats,
  annotationQueueRead,
  annotationQueueUpdate,
  annotationQueueDelete,
  annotationQueueAddCalls,
  annotationQueueQueryItems,
  annotationQueueUpdateProgress,
};
