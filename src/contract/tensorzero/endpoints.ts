import { tensorZeroChatCompletions } from './chat-completions.ts';
import { tensorZeroFeedback } from './feedback.ts';
import { tensorZeroInference } from './inference.ts';

/** The endpoints of this group, in the order of the documentation. `api/tensorzero/routes.ts` has a handler for each. */
export const tensorZeroEndpoints = {
  tensorZeroInference,
  tensorZeroFeedback,
  tensorZeroChatCompletions,
};
