import { analysisModels } from './analysis-models.ts';
import { inferenceHardware } from './hardware.ts';
import { routerModels } from './router-models.ts';

/** The endpoints of this group, in the order of the documentation. `api/catalogue/routes.ts` has a handler for each. */
export const catalogueEndpoints = {
  routerModels,
  analysisModels,
  inferenceHardware,
};
