import { textCompletionCreate } from './create.ts';

/** The endpoints of this group, in the order of the documentation. `api/text-completions/routes.ts` has a handler for each. */
export const textCompletionEndpoints = {
  textCompletionCreate,
};
