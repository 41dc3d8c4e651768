import type { Context } from '../../context.ts';
import type * as contract from '../../contract/accounts/key-revoke.ts';
import type { Handler } from '../../http/bind.ts';
import { keyAnswer } from './key-answer.ts';

export function keyRevoke({ identity }: Context): Handler<typeof contract.keyRevoke> {
  return async ({ caller, params: { key_id } }) => {
    const user = caller.isOwner ? undefined : caller.username;
    return keyAnswer(await identity.revokeKeyById(key_id, user), caller);
  };
}
