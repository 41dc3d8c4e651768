import type { FeedbackWire } from '../../contract/feedback/feedback.ts';
import type { JsonText } from '../../util/json/json-text.ts';
import type { Micros } from '../calls/call-row.ts';

/** Feedback as stored in the table, under the names of its columns. Empty strings are unset. */
export type FeedbackRow = {
  [Field in TextField]: string;
} & {
  project_id: string;
  /** The exact JSON text. */
  payload: string;
  scorer_tags: string[];
  scorer_tag_reasons: Record<string, string>;
  scorer_tag_confidences: Record<string, number>;
  scorer_ratings: Record<string, number>;
  scorer_rating_reasons: Record<string, string>;
  scorer_rating_confidences: Record<string, number>;
  created_at: Micros;
};

/** The fields that the server adds to a client's feedback. */
export type FeedbackOrigin = { id: string; projectId: string; userId: string; createdAt: Micros };

export function toFeedbackRow(wire: FeedbackWire, payload: JsonText, origin: FeedbackOrigin): FeedbackRow {
  return {
    id: origin.id,
    project_id: origin.projectId,
    weave_ref: wire.weave_ref,
    creator: wire.creator ?? '',
    feedback_type: wire.feedback_type,
    payload: payload.text,
    annotation_ref: wire.annotation_ref ?? '',
    runnable_ref: wire.runnable_ref ?? '',
    call_ref: wire.call_ref ?? '',
    trigger_ref: wire.trigger_ref ?? '',
    queue_id: wire.queue_id ?? '',
    scorer_tags: wire.scorer_tags ?? [],
    scorer_tag_reasons: wire.scorer_tag_reasons ?? {},
    scorer_tag_confidences: wire.scorer_tag_confidences ?? {},
    scorer_ratings: wire.scorer_ratings ?? {},
    scorer_rating_reasons: wire.scorer_rating_reasons ?? {},
    scorer_rating_confidences: wire.scorer_rating_confidences ?? {},
    span_agent_name: wire.span_agent_name,
    span_agent_version: wire.span_agent_version,
    span_status_code: wire.span_status_code,
    span_conversation_id: wire.span_conversation_id,
    span_trace_id: wire.span_trace_id,
    scorer_trace_id: wire.scorer_trace_id,
    wb_user_id: origin.userId,
    created_at: origin.createdAt,
  };
}

type TextField =
  | 'id'
  | 'weave_ref'
  | 'creator'
  | 'feedback_type'
  | 'annotation_ref'
  | 'runnable_ref'
  | 'call_ref'
  | 'trigger_ref'
  | 'queue_id'
  | 'span_agent_name'
  | 'span_agent_version'
  | 'span_status_code'
  | 'span_conversation_id'
  | 'span_trace_id'
  | 'scorer_trace_id'
  | 'wb_user_id';
