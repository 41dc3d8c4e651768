import { keyCreate } from './key-create.ts';
import { keyRevoke } from './key-revoke.ts';
import { keysList } from './keys-list.ts';
import { memberAdd } from './member-add.ts';
import { memberRemove } from './member-remove.ts';
import { membersList } from './members-list.ts';

/** The endpoints of this group, in the order of the documentation. `api/accounts/routes.ts` has a handler for each. */
export const accountEndpoints = {
  keysList,
  keyCreate,
  keyRevoke,
  membersList,
  memberAdd,
  memberRemove,
};
