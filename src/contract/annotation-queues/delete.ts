import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { queueParams, queueSchema } from './queue.ts';

export const annotationQueueDelete = defineEndpoint({
  method: 'DELETE',
  path: '/annotation_queues/{queue_id}',
  group: 'Annotation queues',
  name: 'Annotation Queue Delete',
  description: 'Deletes a queue. Its items stay and can be read; it takes no more calls and no more progress.',
  params: queueParams,
  query: z.object({ project_id: z.string() }),
  answer: { kind: 'json', schema: z.object({ queue: queueSchema }).meta({ id: 'AnnotationQueueDeleteRes' }) },
});
