import { suiteCreate } from './create.ts';
import { callsHoldOut } from './hold-out.ts';
import { suiteList } from './list.ts';
import { suiteRead } from './read.ts';

/** The endpoints of this group. `api/suites/routes.ts` has a handler for each. */
export const suiteEndpoints = { suiteCreate, suiteList, suiteRead, callsHoldOut };
