import type { Context } from '../../context.ts';
import type { loopUndoTurn as endpoint } from '../../contract/loops/undo-turn.ts';
import type { Handler } from '../../http/bind.ts';
import { turnAnswer } from '../../services/loops/wire-loop.ts';
import { ownerForRead } from '../project.ts';

export function loopUndoTurn({ identity, services }: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async (input) => {
    const owner = await ownerForRead({ identity }, input);
    const { loop, turn } = await services.loops.undoTurn(owner, input.params, input.body.reason);
    return turnAnswer(identity, loop, turn);
  };
}
