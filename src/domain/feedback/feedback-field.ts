import { invalidInput } from '../../util/failures.ts';
import { type PathStep, parseFieldPath } from '../query/field-path.ts';
import type { FeedbackRow } from './feedback-row.ts';

/** The value of feedback that a field path in a query, sort or selection refers to. */
export type FeedbackField =
  | { kind: 'text'; name: keyof FeedbackRow; isNullable: boolean }
  | { kind: 'time' }
  | { kind: 'tags' }
  /** A location in the payload; the empty path is all of it. */
  | { kind: 'payload'; path: PathStep[] }
  /** One entry of a map, or the whole map without a key. */
  | { kind: 'texts' | 'numbers'; name: keyof FeedbackRow; key: string | null };

/** @throws Failure for an unknown field or a negative index. */
export function parseFeedbackField(path: string): FeedbackField {
  const root = path.split('.', 1)[0]!;
  const rest = path.length > root.length ? path.slice(root.length + 1) : null;
  if (root === 'payload') return { kind: 'payload', path: rest === null ? [] : parseFieldPath(rest) };
  const kind = maps.get(root);
  if (kind) return { kind, name: root as keyof FeedbackRow, key: rest?.replaceAll('\\.', '.') ?? null };
  const known = rest === null ? plainFields.get(root) : undefined;
  if (!known) throw invalidInput(`Unknown field: ${path}`);
  return known;
}

const maps = new Map<string, 'texts' | 'numbers'>(
  Object.entries({
    scorer_tag_reasons: 'texts',
    scorer_tag_confidences: 'numbers',
    scorer_ratings: 'numbers',
    scorer_rating_reasons: 'texts',
    scorer_rating_confidences: 'numbers',
  }),
);

const always = (name: keyof FeedbackRow): [string, FeedbackField] => [name, { kind: 'text', name, isNullable: false }];
const nullable = (name: keyof FeedbackRow): [string, FeedbackField] => [name, { kind: 'text', name, isNullable: true }];

const plainFields = new Map<string, FeedbackField>([
  ...(['id', 'project_id', 'weave_ref', 'feedback_type', 'wb_user_id'] as const).map(always),
  ...(['span_agent_name', 'span_agent_version', 'span_status_code', 'span_conversation_id'] as const).map(always),
  ...(['span_trace_id', 'scorer_trace_id'] as const).map(always),
  ...(['creator', 'annotation_ref', 'runnable_ref', 'call_ref', 'trigger_ref', 'queue_id'] as const).map(nullable),
  ['created_at', { kind: 'time' }],
  ['scorer_tags', { kind: 'tags' }],
]);

/** The fields of feedback in a response, in order. */
export const answeredFields: string[] = [
  ...['id', 'project_id', 'weave_ref', 'creator', 'feedback_type', 'payload'],
  ...['annotation_ref', 'runnable_ref', 'call_ref', 'trigger_ref', 'queue_id', 'scorer_tags'],
  ...maps.keys(),
  ...['span_agent_name', 'span_agent_version', 'span_status_code', 'span_conversation_id', 'span_trace_id'],
  ...['scorer_trace_id', 'wb_user_id', 'created_at'],
];

/** The fields of feedback in the response of its call. */
export const fieldsInCalls: string[] = [
  ...['id', 'feedback_type', 'weave_ref', 'payload', 'creator', 'created_at', 'wb_user_id'],
  ...['runnable_ref', 'call_ref', 'trigger_ref', 'annotation_ref', 'scorer_tags'],
  ...['scorer_tag_reasons', 'scorer_tag_confidences', 'scorer_ratings', 'scorer_rating_reasons'],
  'scorer_rating_confidences',
];
