import type { Context } from '../../context.ts';
import { annotationQueueEndpoints } from '../../contract/annotation-queues/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { annotationQueueAddCalls } from './add-calls.ts';
import { annotationQueueCreate } from './create.ts';
import { annotationQueueDelete } from './delete.ts';
import { annotationQueuesQuery } from './query.ts';
import { annotationQueueQueryItems } from './query-items.ts';
import { annotationQueueRead } from './read.ts';
import { annotationQueuesStats } from './stats.ts';
import { annotationQueueUpdate } from './update.ts';
import { annotationQueueUpdateProgress } from './update-progress.ts';

export function annotationQueueRoutes(context: Context): Route[] {
  return routesOf(annotationQueueEndpoints, {
    annotationQueueCreate: annotationQueueCreate(context),
    annotationQueuesQuery: annotationQueuesQuery(context),
    annotationQueuesStats: annotationQueuesStats(context),
    annotationQueueRead: annotationQueueRead(context),
    annotationQueueUpdate: annotationQueueUpdate(context),
    annotationQueueDelete: annotationQueueDelete(context),
    annotationQueueAddCalls: annotationQueueAddCalls(context),
    annotationQueueQueryItems: annotationQueueQueryItems(context),
    annotationQueueUpdateProgress: annotationQueueUpdateProgress(context),
  });
}
