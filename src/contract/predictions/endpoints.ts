import { predictionCreate } from './create.ts';
import { predictionDelete } from './delete.ts';
import { predictionFinish } from './finish.ts';
import { predictionList } from './list.ts';
import { predictionRead } from './read.ts';

/** The endpoints of this group, in the order of the documentation. `api/predictions/routes.ts` has a handler for each. */
export const predictionEndpoints = {
  predictionCreate,
  predictionRead,
  predictionList,
  predictionFinish,
  predictionDelete,
};
