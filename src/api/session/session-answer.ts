import type { Caller } from '../../identity/identity.ts';
import { version } from '../../util/version.ts';

export function sessionAnswer({ userId, username, defaultEntity, isOwner }: Caller) {
  return { user_id: userId, username, entity: defaultEntity, is_owner: isOwner, server_version: version };
}
