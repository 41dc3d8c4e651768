import { z } from 'zod';
import { optional, text, timestamp } from '../wire.ts';

/** A queue in responses. */
export const queueSchema = z
  .object({
    id: z.string(),
    project_id: z.string(),
    name: z.string(),
    description: z.string(),
    scorer_refs: z.array(z.string()),
    created_at: timestamp(),
    created_by: z.string(),
    updated_at: timestamp(),
    deleted_at: optional(timestamp()),
  })
  .meta({ id: 'AnnotationQueueSchema' });

export const queueParams = z.object({ queue_id: text() });
