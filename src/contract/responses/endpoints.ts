import { responseCancel } from './cancel.ts';
import { responseCreate } from './create.ts';
import { responseDelete } from './delete.ts';
import { responseInputItems } from './input-items.ts';
import { responseRead } from './read.ts';

/** The endpoints of this group, in the order of the documentation. `api/responses/routes.ts` has a handler for each. */
export const responseEndpoints = {
  responseCreate,
  responseRead,
  responseDelete,
  responseCancel,
  responseInputItems,
};
