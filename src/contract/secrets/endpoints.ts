import { secretsList } from './list.ts';
import { secretRemove } from './remove.ts';
import { secretSet } from './set.ts';

/** The endpoints of this group, in the order of the documentation. `api/secrets/routes.ts` has a handler for each. */
export const secretEndpoints = {
  secretsList,
  secretSet,
  secretRemove,
};
