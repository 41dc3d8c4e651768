import type { Identity } from '../identity/identity.ts';
import { notFound } from '../util/failures.ts';

/**
 * A link that opens the web page and signs a user in, by default the owner; null before there is one. The token is in the
 * fragment, which browsers do not send: it appears in no log, and previews of the link do not use it up.
 * @throws Failure if there is no such user
 */
export async function signInLink(identity: Identity, address: string, user?: string): Promise<string | null> {
  const found = user === undefined ? await identity.findOwner() : await identity.findUser(user);
  if (!found && user !== undefined) throw notFound(`There is no user ${user}.`);
  return found && `${address}/sign-in#${await identity.makeSignInLink(found.userId)}`;
}
