import type { Accounts } from '../../identity/accounts.ts';
import type { Caller } from '../../identity/identity.ts';

type KeyRecord = Awaited<ReturnType<Accounts['listKeys']>>[number];

export function keyAnswer({ id, user, name, ending, createdAt, revokedAt }: KeyRecord, caller: Caller) {
  return {
    ...{ id, username: user, name, ending },
    created_at: createdAt.toISOString(),
    revoked_at: revokedAt?.toISOString() ?? null,
    is_own: user === caller.username,
  };
}
