import type { Context } from '../../context.ts';
import type { policyList as endpoint } from '../../contract/policies/list.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForRead } from '../project.ts';
import { policyAnswer } from './policy-answer.ts';

export function policyList({
  identity,
  services: { policies },
}: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async (input) => {
    const owner = await ownerForRead({ identity }, input);
    const found = await policies.list(owner);
    return { policies: await Promise.all(found.map((each) => policyAnswer(identity, owner.project.name, each))) };
  };
}
