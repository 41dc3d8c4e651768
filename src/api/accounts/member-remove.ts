import type { Context } from '../../context.ts';
import type * as contract from '../../contract/accounts/member-remove.ts';
import type { Handler } from '../../http/bind.ts';
import { requireOwner } from '../require-owner.ts';

export function memberRemove({ identity }: Context): Handler<typeof contract.memberRemove> {
  return async ({ caller, params: { entity, username } }) => {
    await identity.requireMember(caller, entity);
    requireOwner(caller);
    await identity.removeMember(entity, username);
    return { success: true };
  };
}
