import type { Context } from '../../context.ts';
import type { policyAddVersion as endpoint } from '../../contract/policies/add-version.ts';
import type { Handler } from '../../http/bind.ts';
import { planOf } from '../../services/policies/wire-plan.ts';
import { ownerForRead } from '../project.ts';
import { policyAnswer } from './policy-answer.ts';

export function policyAddVersion({
  identity,
  services: { policies },
}: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async (input) => {
    const { reason, expected_version: expected, ...plan } = input.body;
    const owner = await ownerForRead({ identity }, input);
    const change = { plan: planOf(plan), reason, expected };
    return policyAnswer(identity, owner.project.name, await policies.addVersion(owner, input.params.name, change));
  };
}
