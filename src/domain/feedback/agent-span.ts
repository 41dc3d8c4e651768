import type { FeedbackWire } from '../../contract/feedback/feedback.ts';
import { invalidInput } from '../../util/failures.ts';
import { parseRef } from '../refs.ts';
import { feedbackKind } from './feedback-kind.ts';

/**
 * Feedback on agents names its turn or conversation: missing fields are filled in from the ref.
 * @throws Failure if the ref and the fields disagree
 */
export function withAgentSpan(feedback: FeedbackWire): FeedbackWire {
  const { kind } = feedbackKind(feedback.feedback_type);
  if (kind !== 'agentMonitor' && kind !== 'agentUserFeedback') return feedback;
  const ref = parseRef(feedback.weave_ref);
  switch (ref?.kind) {
    case 'agent_conversation':
      if (feedback.span_trace_id !== '') {
        throw invalidInput('span_trace_id is not allowed for feedback on a conversation');
      }
      return filled(feedback, 'span_conversation_id', ref.conversationId);
    case 'agent_turn':
      return filled(feedback, 'span_trace_id', ref.traceId);
    default:
      return feedback;
  }
}

function filled(feedback: FeedbackWire, field: 'span_conversation_id' | 'span_trace_id', id: string): FeedbackWire {
  if (feedback[field] !== '' && feedback[field] !== id) {
    throw invalidInput(`${field} ${feedback[field]} does not match the weave_ref ${feedback.weave_ref}`);
  }
  return { ...feedback, [field]: id };
}
