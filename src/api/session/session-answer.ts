import type { Caller } from '../../identity/identity.ts';
import { version } from '../../util/version.ts';

export function sessionAnswer({ username, defaultEntity, isOwner }: Caller) {
  return { username, entity: defaultEntity, is_owner: isOwner, server_version: version };
}
