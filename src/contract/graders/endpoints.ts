import { graderRun } from './run.ts';
import { graderValidate } from './validate.ts';

/** The endpoints of this group, in the order of the documentation. `api/graders/routes.ts` has a handler for each. */
export const graderEndpoints = {
  graderRun,
  graderValidate,
};
