import { modelsList } from './list.ts';
import { modelRead, modelReadInTwoParts } from './read.ts';

/** The endpoints of this group, in the order of the documentation. `api/models/routes.ts` has a handler for each. */
export const modelEndpoints = {
  modelsList,
  modelRead,
  modelReadInTwoParts,
};
