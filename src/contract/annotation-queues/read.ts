import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { queueParams, queueSchema } from './queue.ts';

export const annotationQueueRead = defineEndpoint({
  method: 'GET',
  path: '/annotation_queues/{queue_id}',
  group: 'Annotation queues',
  name: 'Annotation Queue Read',
  description: 'Reads a queue that is not deleted.',
  params: queueParams,
  query: z.object({ project_id: z.string() }),
  answer: { kind: 'json', schema: z.object({ queue: queueSchema }).meta({ id: 'AnnotationQueueReadRes' }) },
});
