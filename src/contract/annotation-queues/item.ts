import { z } from 'zod';
import { int, optional, timestamp } from '../wire.ts';

/** The progress of an item: the state that an annotator changed last. */
export const annotationStateSchema = z.enum(['unstarted', 'in_progress', 'completed', 'skipped']);

/** A call in a queue, as it was when it was added. */
export const queueItemSchema = z
  .object({
    id: z.string(),
    project_id: z.string(),
    queue_id: z.string(),
    call_id: z.string(),
    call_started_at: timestamp(),
    call_ended_at: optional(timestamp()),
    call_op_name: z.string(),
    call_trace_id: z.string(),
    display_fields: z.array(z.string()),
    added_by: optional(z.string()),
    annotation_state: annotationStateSchema,
    annotator_user_id: optional(z.string()),
    created_at: timestamp(),
    created_by: z.string(),
    updated_at: timestamp(),
    deleted_at: optional(timestamp()),
    position_in_queue: optional(int()),
    own_state: annotationStateSchema.optional(),
  })
  .meta({ id: 'AnnotationQueueItemSchema' });
