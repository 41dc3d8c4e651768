import type { Context } from '../../context.ts';
import type * as contract from '../../contract/accounts/keys-list.ts';
import type { Handler } from '../../http/bind.ts';
import { keyAnswer } from './key-answer.ts';

const keysListedMax = 2000;

export function keysList({ identity }: Context): Handler<typeof contract.keysList> {
  return async ({ caller }) => {
    const keys = await identity.listKeys(caller.isOwner ? undefined : caller.username);
    const newest = keys.toReversed().slice(0, keysListedMax);
    return { keys: newest.map((key) => keyAnswer(key, caller)) };
  };
}
