import type { Context } from '../../context.ts';
import { unauthorized } from '../../contract/errors.ts';
import type * as contract from '../../contract/session/sign-in.ts';
import type { Handler } from '../../http/bind.ts';
import { refuseOtherOrigins, sessionCookie } from '../../http/session-cookie.ts';
import { sessionAnswer } from './session-answer.ts';

export function signIn({ identity }: Context): Handler<typeof contract.signIn> {
  return async ({ body, raw }) => {
    refuseOtherOrigins(raw); // a form cannot send JSON, so no other site can sign a user in
    const session =
      body.api_key !== null
        ? await identity.signInWithKey(body.api_key.trim())
        : await identity.signInWithLink(body.link_token ?? '');
    if (!session) throw unauthorized(body.api_key !== null ? wrongKey : wrongLink);
    return { body: sessionAnswer(session.caller), headers: { 'set-cookie': sessionCookie(raw, session) } };
  };
}

const wrongKey = 'This API key is not valid. `heddle keys create` makes a new one.';
const wrongLink = 'This sign-in link has been used or has expired. `heddle sign-in` prints a new one.';
