import { openaiEvalItemList } from './list.ts';
import { openaiEvalItemRead } from './read.ts';

/** The endpoints of this group, in the order of the documentation. `api/openai-eval-items/routes.ts` has a handler for each. */
export const openaiEvalItemEndpoints = {
  openaiEvalItemList,
  openaiEvalItemRead,
};
