import { modelDelete, modelDeleteInTwoParts } from './delete.ts';
import { modelsList } from './list.ts';
import { loadAdapter } from './load-adapter.ts';
import { modelRead, modelReadInTwoParts } from './read.ts';
import { unloadAdapter } from './unload-adapter.ts';

/** The endpoints of this group, in the order of the documentation. `api/models/routes.ts` has a handler for each. */
export const modelEndpoints = {
  modelsList,
  modelRead,
  modelReadInTwoParts,
  modelDelete,
  modelDeleteInTwoParts,
  loadAdapter,
  unloadAdapter,
};
