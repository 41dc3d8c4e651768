import { threadsStreamQuery } from './stream-query.ts';

/** The endpoints of this group, in the order of the documentation. `api/threads/routes.ts` has a handler for each. */
export const threadEndpoints = {
  threadsStreamQuery,
};
