import { costCreate } from './create.ts';
import { costPurge } from './purge.ts';
import { costQuery } from './query.ts';

/** The endpoints of this group, in the order of the documentation. `api/costs/routes.ts` has a handler for each. */
export const costEndpoints = {
  costCreate,
  costQuery,
  costPurge,
};
