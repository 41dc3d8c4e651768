import { policyAddVersion } from './add-version.ts';
import { policyCreate } from './create.ts';
import { policyDelete } from './delete.ts';
import { policyEstimate } from './estimate.ts';
import { policyList } from './list.ts';
import { policyRead } from './read.ts';
import { policyUndo } from './undo.ts';

/** The endpoints of this group, in the order of the documentation. `api/policies/routes.ts` has a handler for each. */
export const policyEndpoints = {
  policyCreate,
  policyList,
  policyRead,
  policyAddVersion,
  policyUndo,
  policyEstimate,
  policyDelete,
};
