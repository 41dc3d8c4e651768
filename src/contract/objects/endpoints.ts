import { objConversation } from './conversation.ts';
import { objCreate } from './create.ts';
import { objDelete } from './delete.ts';
import { objsQuery } from './query.ts';
import { objRead } from './read.ts';

/** The endpoints of this group, in the order of the documentation. `api/objects/routes.ts` has a handler for each. */
export const objectEndpoints = {
  objCreate,
  objRead,
  objConversation,
  objsQuery,
  objDelete,
};
