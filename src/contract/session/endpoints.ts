import { sessionRead } from './read.ts';
import { signIn } from './sign-in.ts';
import { signOut } from './sign-out.ts';

/** The endpoints of this group, in the order of the documentation. `api/session/routes.ts` has a handler for each. */
export const sessionEndpoints = {
  signIn,
  sessionRead,
  signOut,
};
