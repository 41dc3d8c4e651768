import { linkToRegistry } from './link-to-registry.ts';

/** The endpoints of this group. `api/registry/routes.ts` has a handler for each. */
export const registryEndpoints = { linkToRegistry };
