import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { text } from '../wire.ts';
import { queueItemSchema } from './item.ts';

export const annotationQueueUpdateProgress = defineEndpoint({
  method: 'POST',
  path: '/annotation_queues/{queue_id}/items/{item_id}/progress',
  group: 'Annotation queues',
  name: 'Annotation Queue Item Progress Update',
  description:
    'Says how far the caller has come with an item: `in_progress`, then `completed` or `skipped`. Nothing leads away ' +
    'from these two. Annotators do not stand in each other’s way.',
  params: z.object({ queue_id: text(), item_id: text() }),
  body: z
    .object({ project_id: z.string(), annotation_state: z.string() })
    .meta({ id: 'AnnotationQueueItemProgressUpdateBody' }),
  answer: {
    kind: 'json',
    schema: z.object({ item: queueItemSchema }).meta({ id: 'AnnotatorQueueItemsProgressUpdateRes' }),
  },
});
