import { imageCreate } from './create.ts';

/** The endpoints of this group. `api/images/routes.ts` has a handler for each. */
export const imageEndpoints = { imageCreate };
