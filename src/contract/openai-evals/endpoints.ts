import { openaiEvalCreate } from './create.ts';
import { openaiEvalDelete } from './delete.ts';
import { openaiEvalList } from './list.ts';
import { openaiEvalRead } from './read.ts';
import { openaiEvalUpdate } from './update.ts';

/** The endpoints of this group, in the order of the documentation. `api/openai-evals/routes.ts` has a handler for each. */
export const openaiEvalEndpoints = {
  openaiEvalCreate,
  openaiEvalList,
  openaiEvalRead,
  openaiEvalUpdate,
  openaiEvalDelete,
};
