import type { FeedbackWire } from '../../contract/feedback/feedback.ts';
import { invalidInput } from '../../util/failures.ts';
import { parseRef, type Ref } from '../refs.ts';
import { type FeedbackKind, feedbackKind } from './feedback-kind.ts';

/** Validates the parts of feedback that need neither its payload nor the stores. @throws Failure */
export function checkFeedback(feedback: FeedbackWire): void {
  const kind = feedbackKind(feedback.feedback_type);
  checkWeaveRef(feedback.weave_ref);
  checkRefsAllowed(feedback, kind);
  checkRefKinds(feedback);
  if (kind.kind === 'annotation') checkAnnotationRef(feedback, kind.name);
  if (kind.kind === 'runnable') checkRunnableRef(feedback, kind.name);
  if (kind.kind === 'agentMonitor') {
    for (const field of ['runnable_ref', 'call_ref', 'trigger_ref'] as const) {
      if (!feedback[field]) throw invalidInput(`${field} is required for ${feedback.feedback_type} feedback`);
    }
  }
  checkScorerFields(feedback, kind);
  if (!statusCodes.includes(feedback.span_status_code)) {
    throw invalidInput(`span_status_code must be one of ${statusCodes.join(', ')}, found ${feedback.span_status_code}`);
  }
}

const statusCodes = ['UNSET', 'OK', 'ERROR'];

/** Feedback can be about any string; one that starts like a ref must name a project and something in it. */
function checkWeaveRef(ref: string): void {
  if (/^weave:\/\/\//.test(ref) && ref.split('/').length < 6) throw invalidInput(`Invalid URI: ${ref}`);
}

function checkRefsAllowed(feedback: FeedbackWire, { kind }: FeedbackKind): void {
  const isAnnotation = kind === 'annotation';
  const isRunnable = kind === 'runnable' || kind === 'agentMonitor';
  if (feedback.annotation_ref && !isAnnotation) {
    throw invalidInput('annotation_ref is not allowed for non-annotation feedback');
  }
  for (const field of ['runnable_ref', 'call_ref', 'trigger_ref'] as const) {
    if (feedback[field] && !isRunnable) throw invalidInput(`${field} is not allowed for non-runnable feedback`);
  }
}

function checkRefKinds(feedback: FeedbackWire): void {
  checkKind(feedback, 'annotation_ref', ['object', 'op']);
  checkKind(feedback, 'runnable_ref', ['op', 'object']);
  checkKind(feedback, 'call_ref', ['call']);
  checkKind(feedback, 'trigger_ref', ['object']);
}

type RefField = 'annotation_ref' | 'runnable_ref' | 'call_ref' | 'trigger_ref';

function checkKind(feedback: FeedbackWire, field: RefField, kinds: Ref['kind'][]): void {
  const text = feedback[field];
  if (!text) return;
  const ref = parseRef(text);
  if (ref && kinds.includes(ref.kind)) return;
  const example = `weave:///entity/project/${kinds[0]}/${kinds[0] === 'call' ? 'ID' : 'NAME:DIGEST'}`;
  throw invalidInput(`${field} must be a ref of kind ${kinds.join(' or ')} such as ${example}, found ${text}`);
}

function checkAnnotationRef(feedback: FeedbackWire, name: string): void {
  if (!feedback.annotation_ref) throw invalidInput('annotation_ref is required for annotation feedback');
  const ref = objectRef(feedback.annotation_ref);
  if (ref.name !== name) throw invalidInput(`annotation_ref must point to an object with name ${name}`);
  if (`${ref.entity}/${ref.project}` !== feedback.project_id) {
    throw invalidInput(`annotation_ref ${feedback.annotation_ref} does not match project id ${feedback.project_id}`);
  }
}

function checkRunnableRef(feedback: FeedbackWire, name: string): void {
  if (!feedback.runnable_ref) throw invalidInput('runnable_ref is required for runnable feedback');
  const ref = objectRef(feedback.runnable_ref);
  if (ref.name !== name) throw invalidInput(`runnable_ref must point to an object with name ${name}`);
  if (ref.kind === 'op' && !feedback.call_ref) {
    throw invalidInput('call_ref is required for runnable feedback whose runnable_ref is an op');
  }
}

/** A ref whose kind is already validated. */
function objectRef(text: string): Extract<Ref, { kind: 'object' | 'op' }> {
  return parseRef(text) as Extract<Ref, { kind: 'object' | 'op' }>;
}

const scorerFields = [
  'scorer_tags',
  'scorer_tag_reasons',
  'scorer_tag_confidences',
  'scorer_ratings',
  'scorer_rating_reasons',
  'scorer_rating_confidences',
] as const;

function checkScorerFields(feedback: FeedbackWire, { kind }: FeedbackKind): void {
  if (kind === 'agentUserFeedback' && !feedback.scorer_tags?.length) {
    throw invalidInput(`scorer_tags is required for ${feedback.feedback_type} feedback`);
  }
  if (kind === 'runnable' || kind === 'agentMonitor' || kind === 'agentUserFeedback') return;
  const found = scorerFields.find((field) => Object.keys(feedback[field] ?? {}).length > 0);
  if (found) throw invalidInput(`${found} is not allowed for feedback_type ${feedback.feedback_type}`);
}
