import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { optional, text } from '../wire.ts';

export const annotationQueueCreate = defineEndpoint({
  method: 'POST',
  path: '/annotation_queues',
  group: 'Annotation queues',
  name: 'Annotation Queue Create',
  description: 'Makes a queue. Names need not be unique.',
  body: z
    .object({
      project_id: z.string(),
      name: text(),
      description: text().default(''),
      scorer_refs: z.array(text()),
      wb_user_id: optional(z.string()),
    })
    .meta({ id: 'AnnotationQueueCreateReq' }),
  answer: { kind: 'json', schema: z.object({ id: z.string() }).meta({ id: 'AnnotationQueueCreateRes' }) },
});
