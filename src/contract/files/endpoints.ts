import { fileContent } from './content.ts';
import { fileCreate } from './create.ts';
import { filesStats } from './stats.ts';

/** The endpoints of this group, in the order of the documentation. `api/files/routes.ts` has a handler for each. */
export const fileEndpoints = {
  fileCreate,
  fileContent,
  filesStats,
};
