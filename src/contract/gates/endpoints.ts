import { gateCancel } from './cancel.ts';
import { gateCreate } from './create.ts';
import { gateList } from './list.ts';
import { gatePublicKey } from './public-key.ts';
import { gateRead } from './read.ts';
import { gateVerdict } from './verdict.ts';

/** The endpoints of this group. `api/gates/routes.ts` has a handler for each. */
export const gateEndpoints = { gateCreate, gateList, gateRead, gateCancel, gateVerdict, gatePublicKey };
