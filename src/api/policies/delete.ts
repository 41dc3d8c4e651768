import type { Context } from '../../context.ts';
import type { policyDelete as endpoint } from '../../contract/policies/delete.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForRead } from '../project.ts';

export function policyDelete({
  identity,
  services: { policies },
}: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async (input) => {
    await policies.delete(await ownerForRead({ identity }, input), input.params.name);
    return {};
  };
}
