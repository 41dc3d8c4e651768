import { evalResultsQuery } from './query.ts';

/** The endpoints of this group. `api/eval-results/routes.ts` has a handler for each. */
export const evalResultEndpoints = { evalResultsQuery };
