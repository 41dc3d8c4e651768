import type { Context } from '../../context.ts';
import type { WireContext } from '../../domain/calls/new-call.ts';
import { idMaker } from '../../domain/calls/ids.ts';
import type { Caller } from '../../identity/identity.ts';

/** What the server adds to the calls of one request. */
export function wireContext({ config }: Context, caller: Caller, retryId: string | null): WireContext {
  return { userId: caller.userId, redacts: config.redactCredentials, newId: idMaker(retryId) };
}
