import { z } from 'zod';
import { jsonObject, optional, timestamp } from '../wire.ts';

const texts = () => z.record(z.string(), z.string()).optional();
const numbers = () => z.record(z.string(), z.number()).optional();

/** Feedback as clients send it. `weave_ref` is its target; `wb_user_id` is set by the server. */
export const feedbackFields = {
  id: optional(z.string()),
  project_id: z.string(),
  weave_ref: z.string(),
  creator: optional(z.string()),
  feedback_type: z.string(),
  payload: jsonObject(),
  annotation_ref: optional(z.string()),
  runnable_ref: optional(z.string()),
  call_ref: optional(z.string()),
  trigger_ref: optional(z.string()),
  queue_id: optional(z.string()),
  scorer_tags: z.array(z.string()).optional(),
  scorer_tag_reasons: texts(),
  scorer_tag_confidences: numbers(),
  scorer_ratings: numbers(),
  scorer_rating_reasons: texts(),
  scorer_rating_confidences: numbers(),
  span_agent_name: z.string().default(''),
  span_agent_version: z.string().default(''),
  span_status_code: z.string().default('UNSET'),
  span_conversation_id: z.string().default(''),
  span_trace_id: z.string().default(''),
  scorer_trace_id: z.string().default(''),
  wb_user_id: optional(z.string()),
};

export const feedbackCreateSchema = z.object(feedbackFields).meta({ id: 'FeedbackCreateReq' });

const createdFields = { id: z.string(), created_at: timestamp(), wb_user_id: z.string(), payload: jsonObject() };

/** The stored feedback: the payload with the server's additions. */
export const feedbackCreatedSchema = z.object(createdFields).meta({ id: 'FeedbackCreateRes' });
export const feedbackReplacedSchema = z.object(createdFields).meta({ id: 'FeedbackReplaceRes' });

export type FeedbackWire = z.output<typeof feedbackCreateSchema>;
