import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { optional, text } from '../wire.ts';
import { queueParams, queueSchema } from './queue.ts';

export const annotationQueueUpdate = defineEndpoint({
  method: 'PUT',
  path: '/annotation_queues/{queue_id}',
  group: 'Annotation queues',
  name: 'Annotation Queue Update',
  description: 'Changes the fields that are given; absent ones and null keep their values.',
  params: queueParams,
  body: z
    .object({
      project_id: z.string(),
      name: optional(text()),
      description: optional(text()),
      scorer_refs: optional(z.array(text())),
    })
    .meta({ id: 'AnnotationQueueUpdateBody' }),
  answer: { kind: 'json', schema: z.object({ queue: queueSchema }).meta({ id: 'AnnotationQueueUpdateRes' }) },
});
