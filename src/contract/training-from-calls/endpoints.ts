import { trainingRlPreview } from './rl-preview.ts';
import { trainingRlStart } from './rl-start.ts';
import { trainingSftPreview } from './sft-preview.ts';
import { trainingSftStart } from './sft-start.ts';

/** The endpoints of this group, in the order of the documentation. `api/training-from-calls/routes.ts` has a handler for each. */
export const trainingFromCallsEndpoints = {
  trainingRlPreview,
  trainingRlStart,
  trainingSftPreview,
  trainingSftStart,
};
