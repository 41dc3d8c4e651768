import { z } from 'zod';
import { sortBySchema } from '../calls/filter.ts';
import { defineEndpoint } from '../endpoint.ts';
import { optional, rowCount, text } from '../wire.ts';
import { queueSchema } from './queue.ts';

export const annotationQueuesQuery = defineEndpoint({
  method: 'POST',
  path: '/annotation_queues/query',
  group: 'Annotation queues',
  name: 'Annotation Queues Query Stream',
  description:
    'Streams the queues that are not deleted, one JSON object a line, the newest first. `name` finds them by a part of ' +
    'their names, without regard to case. `sort_by` knows `id`, `name`, `created_at` and `updated_at`.',
  body: z
    .object({
      project_id: z.string(),
      name: optional(text()),
      sort_by: optional(z.array(sortBySchema)),
      limit: optional(rowCount()),
      offset: optional(rowCount()),
    })
    .meta({ id: 'AnnotationQueuesQueryReq' }),
  answer: { kind: 'lines', schema: queueSchema, mediaType: 'application/x-ndjson' },
});
