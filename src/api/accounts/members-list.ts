import type { Context } from '../../context.ts';
import type * as contract from '../../contract/accounts/members-list.ts';
import type { Handler } from '../../http/bind.ts';

export function membersList({ identity }: Context): Handler<typeof contract.membersList> {
  return async ({ caller, params: { entity } }) => {
    await identity.requireMember(caller, entity);
    const members = await identity.listMembers(entity);
    return { members: members.map(({ username, isOwner }) => ({ username, is_owner: isOwner })) };
  };
}
