import { evaluateModel } from './evaluate-model.ts';
import { evaluationStatus } from './status.ts';

/** The endpoints of this group. `api/evaluations/routes.ts` has a handler for each. */
export const evaluationEndpoints = { evaluateModel, evaluationStatus };
