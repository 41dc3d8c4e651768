import type { Context } from '../../context.ts';
import type { policyRead as endpoint } from '../../contract/policies/read.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForRead } from '../project.ts';
import { policyWithVersionsAnswer } from './policy-answer.ts';

export function policyRead({
  identity,
  services: { policies },
}: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async (input) => {
    const owner = await ownerForRead({ identity }, input);
    return policyWithVersionsAnswer(identity, owner.project.name, await policies.read(owner, input.params.name));
  };
}
