import type { Context } from '../../context.ts';
import type { loopStartTurn as endpoint } from '../../contract/loops/start-turn.ts';
import type { Handler } from '../../http/bind.ts';
import { turnAnswer } from '../../services/loops/wire-loop.ts';
import { ownerForRead } from '../project.ts';

export function loopStartTurn({
  identity,
  services,
}: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async (input) => {
    const owner = await ownerForRead({ identity }, input);
    const { loop, turn } = await services.loops.startTurn(owner, input.params.name);
    return turnAnswer(identity, loop, turn);
  };
}
