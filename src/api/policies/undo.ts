import type { Context } from '../../context.ts';
import type { policyUndo as endpoint } from '../../contract/policies/undo.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForRead } from '../project.ts';
import { policyAnswer } from './policy-answer.ts';

export function policyUndo({
  identity,
  services: { policies },
}: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async (input) => {
    const { version: number, reason } = input.body;
    const owner = await ownerForRead({ identity }, input);
    const undone = await policies.undo(owner, input.params.name, { number, reason });
    return policyAnswer(identity, owner.project.name, undone);
  };
}
