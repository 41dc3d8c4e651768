import { completionsCreate } from './create.ts';
import { completionsCreateStream } from './create-stream.ts';

/** The endpoints of this group. `api/completions/routes.ts` has a handler for each. */
export const completionEndpoints = { completionsCreate, completionsCreateStream };
