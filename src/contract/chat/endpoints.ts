import { chatCompletions } from './completions.ts';

/** The endpoints of this group, in the order of the documentation. `api/chat/routes.ts` has a handler for each. */
export const chatEndpoints = {
  chatCompletions,
};
