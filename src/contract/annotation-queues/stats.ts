import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { bool, int, text } from '../wire.ts';

const queueStatsSchema = z
  .object({ queue_id: z.string(), total_items: int(), completed_items: int(), own_completed_items: int().optional() })
  .meta({ id: 'AnnotationQueueStatsSchema' });

export const annotationQueuesStats = defineEndpoint({
  method: 'POST',
  path: '/annotation_queues/stats',
  group: 'Annotation queues',
  name: 'Annotation Queues Stats',
  description:
    'Counts the items of queues, and those that any annotator has completed or skipped; with `include_own` also those ' +
    'that the caller has. Unknown queues have none.',
  body: z
    .object({ project_id: z.string(), queue_ids: z.array(text()), include_own: bool().default(false) })
    .meta({ id: 'AnnotationQueuesStatsReq' }),
  answer: {
    kind: 'json',
    schema: z.object({ stats: z.array(queueStatsSchema) }).meta({ id: 'AnnotationQueuesStatsRes' }),
  },
});
