import { z } from 'zod';
import { anyJson, bool, jsonObject, optional, optionalInteger, optionalJsonObject, writtenTimestamp } from '../wire.ts';
import { summarySchema } from './summary.ts';

const identityFields = {
  project_id: z.string(),
  op_name: z.string(),
  display_name: optional(z.string()),
  parent_id: optional(z.string()),
  thread_id: optional(z.string()),
  turn_id: optional(z.string()),
};

const startFields = {
  started_at: writtenTimestamp(),
  attributes: jsonObject(),
  inputs: jsonObject(),
  otel_dump: optionalJsonObject(),
  wb_user_id: optional(z.string()),
  wb_run_id: optional(z.string()),
  wb_run_step: optionalInteger(),
};

const endFields = {
  ended_at: writtenTimestamp(),
  exception: optional(z.string()),
  output: optional(anyJson()),
  summary: summarySchema,
  wb_run_step_end: optionalInteger(),
};

/** What is known when a call starts. The server generates `id` and `trace_id` if they are absent. */
export const startSchema = z
  .object({ ...identityFields, id: optional(z.string()), trace_id: optional(z.string()), ...startFields })
  .meta({ id: 'StartedCallSchemaForInsert' });

/** What is known when a call ends. `started_at` only helps to find the call; a wrong value does no harm. */
export const endSchema = z
  .object({
    project_id: z.string(),
    id: z.string(),
    trace_id: optional(z.string()),
    is_eval: optional(bool()),
    started_at: optional(writtenTimestamp()),
    ...endFields,
  })
  .meta({ id: 'EndedCallSchemaForInsert' });

/** A complete, finished call. */
export const completeSchema = z
  .object({ ...identityFields, id: z.string(), trace_id: z.string(), ...startFields, ...endFields })
  .meta({ id: 'CompletedCallSchemaForInsert' });

export type Start = z.output<typeof startSchema>;
export type End = z.output<typeof endSchema>;
export type Complete = z.output<typeof completeSchema>;

export const startResultSchema = z.object({ id: z.string(), trace_id: z.string() }).meta({ id: 'CallStartRes' });
export const endResultSchema = z.object({}).meta({ id: 'CallEndRes' });
