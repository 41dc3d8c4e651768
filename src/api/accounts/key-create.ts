import type { Context } from '../../context.ts';
import type * as contract from '../../contract/accounts/key-create.ts';
import type { Handler } from '../../http/bind.ts';
import { requireOwner } from '../require-owner.ts';
import { keyAnswer } from './key-answer.ts';

export function keyCreate({ identity }: Context): Handler<typeof contract.keyCreate> {
  return async ({ caller, body: { name, username } }) => {
    const user = username ?? caller.username;
    if (user !== caller.username) requireOwner(caller);
    const { key, ...record } = await identity.createKey({ user, name });
    return { ...keyAnswer(record, caller), key };
  };
}
