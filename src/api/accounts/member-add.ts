import type { Context } from '../../context.ts';
import type * as contract from '../../contract/accounts/member-add.ts';
import type { Handler } from '../../http/bind.ts';
import { requireOwner } from '../require-owner.ts';

export function memberAdd({ identity }: Context): Handler<typeof contract.memberAdd> {
  return async ({ caller, params: { entity }, body }) => {
    await identity.requireMember(caller, entity);
    requireOwner(caller);
    const { username, isOwner, isNewUser } = await identity.addMember(entity, body.username);
    return { username, is_owner: isOwner, is_new_user: isNewUser };
  };
}
