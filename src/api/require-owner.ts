import type { Caller } from '../identity/identity.ts';
import { Failure } from '../util/failures.ts';

/** @throws Failure unless the caller owns the server */
export function requireOwner(caller: Caller): void {
  if (!caller.isOwner) throw new Failure('forbidden', 'Only the owner of this server can do this.');
}
