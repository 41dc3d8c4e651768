import type { Context } from '../../context.ts';
import type * as contract from '../../contract/session/sign-out.ts';
import type { Handler } from '../../http/bind.ts';
import { noSessionCookie, refuseForeignPages, sessionToken } from '../../http/session-cookie.ts';

export function signOut({ identity }: Context): Handler<typeof contract.signOut> {
  return async ({ raw }) => {
    const token = sessionToken(raw);
    if (token === null) return { body: { success: true } };
    refuseForeignPages(raw);
    await identity.endSession(token);
    return { body: { success: true }, headers: { 'set-cookie': noSessionCookie(raw) } };
  };
}
