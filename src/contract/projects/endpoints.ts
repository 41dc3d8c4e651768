import { projectsList } from './list.ts';

/** The endpoints of this group, in the order of the documentation. `api/projects/routes.ts` has a handler for each. */
export const projectEndpoints = {
  projectsList,
};
