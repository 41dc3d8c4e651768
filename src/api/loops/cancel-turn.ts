import type { Context } from '../../context.ts';
import type { loopCancelTurn as endpoint } from '../../contract/loops/cancel-turn.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForRead } from '../project.ts';

export function loopCancelTurn({
  identity,
  services,
}: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async (input) => {
    const owner = await ownerForRead({ identity }, input);
    return { canceled: await services.loops.cancelTurn(owner, input.params) };
  };
}
