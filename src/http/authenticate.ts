import type { FastifyRequest } from 'fastify';
import { unauthorized } from '../contract/errors.ts';
import type { Caller, Identity } from '../identity/identity.ts';
import { refuseForeignPages, sessionToken } from './session-cookie.ts';

/**
 * Who sends a request: the user of its API key or, without a key, of the web page's session cookie.
 * @throws ApiError 401; 403 if a page of another origin sends the cookie
 */
export async function authenticate(request: FastifyRequest, identity: Identity): Promise<Caller> {
  const { authorization, 'wandb-api-key': key, 'x-api-key': tinkerKey } = request.headers;
  const caller = await identity.authenticate({ authorization, 'wandb-api-key': key, 'x-api-key': tinkerKey });
  if (caller) return caller;
  if (authorization !== undefined || key !== undefined || tinkerKey !== undefined) {
    throw unauthorized('This API key is not valid. `heddle keys list` shows the keys; `heddle keys create` makes one.');
  }
  const token = sessionToken(request);
  if (token === null) {
    throw unauthorized(
      'This request carries no API key. Send it as `Authorization: Bearer KEY`, or set WANDB_API_KEY for the SDKs.',
    );
  }
  refuseForeignPages(request);
  const signedIn = await identity.callerOfSession(token);
  if (!signedIn) throw unauthorized('This session has ended. Sign in again.');
  return signedIn;
}
