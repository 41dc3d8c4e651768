import { objAddTags } from './add-tags.ts';
import { objListAliases } from './list-aliases.ts';
import { objListTags } from './list-tags.ts';
import { objRemoveAliases } from './remove-aliases.ts';
import { objRemoveTags } from './remove-tags.ts';
import { objSetAliases } from './set-aliases.ts';

/** The endpoints of this group, in the order of the documentation. `api/labels/routes.ts` has a handler for each. */
export const labelEndpoints = {
  objListAliases,
  objListTags,
  objSetAliases,
  objRemoveAliases,
  objAddTags,
  objRemoveTags,
};
