import type { Context } from '../../context.ts';
import type { policyCreate as endpoint } from '../../contract/policies/create.ts';
import type { Handler } from '../../http/bind.ts';
import { planOf } from '../../services/policies/wire-plan.ts';
import { ownerForWrite } from '../project.ts';
import { policyAnswer } from './policy-answer.ts';

export function policyCreate({
  identity,
  services: { policies },
}: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async (input) => {
    const { name, reason, ...plan } = input.body;
    const owner = await ownerForWrite({ identity }, input);
    return policyAnswer(
      identity,
      owner.project.name,
      await policies.create(owner, name, { plan: planOf(plan), reason }),
    );
  };
}
