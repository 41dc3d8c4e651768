import { scoreCreate } from './create.ts';
import { scoreDelete } from './delete.ts';
import { scoreList } from './list.ts';
import { scoreRead } from './read.ts';

/** The endpoints of this group, in the order of the documentation. `api/scores/routes.ts` has a handler for each. */
export const scoreEndpoints = {
  scoreCreate,
  scoreRead,
  scoreList,
  scoreDelete,
};
