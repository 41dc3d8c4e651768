import { embeddingsCreate } from './create.ts';

/** The endpoints of this group, in the order of the documentation. `api/embeddings/routes.ts` has a handler for each. */
export const embeddingEndpoints = {
  embeddingsCreate,
};
