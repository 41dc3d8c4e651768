import { evaluationRunCreate } from './create.ts';
import { evaluationRunDelete } from './delete.ts';
import { evaluationRunFinish } from './finish.ts';
import { evaluationRunList } from './list.ts';
import { evaluationRunRead } from './read.ts';

/** The endpoints of this group, in the order of the documentation. `api/evaluation-runs/routes.ts` has a handler for each. */
export const evaluationRunEndpoints = {
  evaluationRunCreate,
  evaluationRunRead,
  evaluationRunList,
  evaluationRunFinish,
  evaluationRunDelete,
};
