import type { Context } from '../../context.ts';
import type { policyEstimate as endpoint } from '../../contract/policies/estimate.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForRead } from '../project.ts';

export function policyEstimate({
  identity,
  services: { policies },
}: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async (input) => {
    const owner = await ownerForRead({ identity }, input);
    const { judgement, ...found } = await policies.estimate(owner, input.params.name, input.body);
    const effective_size = judgement.effectiveSize;
    if (judgement.kind === 'refused') {
      const { kind, reason, message } = judgement;
      return { ...found, estimate: { kind, effective_size, reason, message } };
    }
    const { kind, ips, selfNormalized: self_normalized, doublyRobust: doubly_robust } = judgement;
    return { ...found, estimate: { kind, effective_size, ips, self_normalized, doubly_robust } };
  };
}
