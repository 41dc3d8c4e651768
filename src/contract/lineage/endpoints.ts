import { lineageQuery } from './query.ts';
import { lineageVerify } from './verify.ts';

/** The endpoints of this group, in the order of the documentation. `api/lineage/routes.ts` has a handler for each. */
export const lineageEndpoints = { lineageQuery, lineageVerify };
