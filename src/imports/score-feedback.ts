import { feedbackCreateSchema } from '../contract/feedback/feedback.ts';
import { keepTreeOf } from '../contract/keep-tree.ts';
import { validate } from '../contract/validate.ts';
import { parseJson } from '../util/json/parse.ts';
import { toJson } from '../util/json/write.ts';
import type { ImportItem, ImportTarget } from './item.ts';
import { callIdFor } from './values.ts';

type Score = {
  id: string;
  /** Such as `langfuse.helpfulness`. */
  type: string;
  callId: string;
  payload: object;
  createdAt: number | null;
};

/** The score of another tool, as feedback on the call. */
export function scoreFeedback({ id, type, callId, payload, createdAt }: Score, { project }: ImportTarget): ImportItem {
  const about = { project_id: project, weave_ref: `weave:///${project}/call/${callId}` };
  const sent = toJson({ ...about, feedback_type: type.slice(0, 100), payload });
  const parsed = parseJson(sent, { keep: keepTreeOf(feedbackCreateSchema) });
  const feedback = validate(feedbackCreateSchema, parsed, 'feedback');
  return { kind: 'feedback', feedback: { ...feedback, id: callIdFor(id), createdAt: createdAt ?? undefined } };
}
