import { z } from 'zod';
import { anyJson, int, jsonObject, optional, timestamp } from '../wire.ts';

/** A call in responses. */
export const callSchema = z
  .object({
    id: z.string(),
    project_id: z.string(),
    op_name: z.string(),
    display_name: optional(z.string()),
    trace_id: z.string(),
    parent_id: optional(z.string()),
    thread_id: optional(z.string()),
    turn_id: optional(z.string()),
    started_at: timestamp(),
    attributes: jsonObject(),
    inputs: jsonObject(),
    ended_at: optional(timestamp()),
    exception: optional(z.string()),
    output: optional(anyJson()),
    summary: jsonObject().nullable().optional(),
    wb_user_id: optional(z.string()),
    wb_username: optional(z.string()),
    wb_run_id: optional(z.string()),
    wb_run_step: optional(int()),
    wb_run_step_end: optional(int()),
    deleted_at: optional(timestamp()),
    expire_at: optional(timestamp()),
    storage_size_bytes: optional(int()),
    total_storage_size_bytes: optional(int()),
  })
  .meta({ id: 'CallSchema' });
