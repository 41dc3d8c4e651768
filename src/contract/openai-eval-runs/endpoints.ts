import { openaiEvalRunCancel } from './cancel.ts';
import { openaiEvalRunCreate } from './create.ts';
import { openaiEvalRunDelete } from './delete.ts';
import { openaiEvalRunList } from './list.ts';
import { openaiEvalRunRead } from './read.ts';

/** The endpoints of this group, in the order of the documentation. `api/openai-eval-runs/routes.ts` has a handler for each. */
export const openaiEvalRunEndpoints = {
  openaiEvalRunCreate,
  openaiEvalRunList,
  openaiEvalRunRead,
  openaiEvalRunCancel,
  openaiEvalRunDelete,
};
