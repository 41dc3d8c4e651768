import { trainedModelCreate } from './create.ts';
import { trainedModelDelete } from './delete.ts';
import { trainedModelList } from './list.ts';
import { trainedModelLog } from './log.ts';
import { trainedModelRead } from './read.ts';

/** The endpoints of this group, in the order of the documentation. `api/trained-models/routes.ts` has a handler for each. */
export const trainedModelEndpoints = {
  trainedModelCreate,
  trainedModelList,
  trainedModelRead,
  trainedModelDelete,
  trainedModelLog,
};
