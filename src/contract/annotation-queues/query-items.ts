import { z } from 'zod';
import { sortBySchema } from '../calls/filter.ts';
import { defineEndpoint } from '../endpoint.ts';
import { bool, optional, rowCount, text } from '../wire.ts';
import { annotationStateSchema, queueItemSchema } from './item.ts';
import { queueParams } from './queue.ts';

/** Combined with AND. An empty list of states matches every item. */
const queueItemsFilterSchema = z
  .object({
    id: optional(text()),
    call_id: optional(text()),
    call_op_name: optional(text()),
    call_trace_id: optional(text()),
    added_by: optional(text()),
    annotation_states: optional(z.array(annotationStateSchema)),
    own_states: optional(z.array(annotationStateSchema)),
  })
  .meta({ id: 'AnnotationQueueItemsFilter' });

export const annotationQueueQueryItems = defineEndpoint({
  method: 'POST',
  path: '/annotation_queues/{queue_id}/items/query',
  group: 'Annotation queues',
  name: 'Annotation Queue Items Query',
  description:
    'Lists the items of a queue, also of a deleted one, in the order in which they were added. `sort_by` knows ' +
    '`call_started_at`, `call_op_name`, `created_at` and `updated_at`. Positions count from 1 in that order, before ' +
    '`annotation_states`, `own_states`, `limit` and `offset` are looked at. `own_states` are those that the caller has ' +
    'set; with `include_own_state` items have them as `own_state`.',
  params: queueParams,
  body: z
    .object({
      project_id: z.string(),
      filter: optional(queueItemsFilterSchema),
      sort_by: optional(z.array(sortBySchema)),
      limit: optional(rowCount()),
      offset: optional(rowCount()),
      include_position: bool().default(false),
      include_own_state: bool().default(false),
    })
    .meta({ id: 'AnnotationQueueItemsQueryBody' }),
  answer: {
    kind: 'json',
    schema: z.object({ items: z.array(queueItemSchema) }).meta({ id: 'AnnotationQueueItemsQueryRes' }),
  },
});
