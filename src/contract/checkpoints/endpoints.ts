import { checkpointDelete } from './delete.ts';
import { checkpointList } from './list.ts';

/** The endpoints of this group, in the order of the documentation. `api/checkpoints/routes.ts` has a handler for each. */
export const checkpointEndpoints = {
  checkpointList,
  checkpointDelete,
};
