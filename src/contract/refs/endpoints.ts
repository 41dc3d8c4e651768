import { refsReadBatch } from './read-batch.ts';

/** The endpoints of this group, in the order of the documentation. `api/refs/routes.ts` has a handler for each. */
export const refEndpoints = {
  refsReadBatch,
};
