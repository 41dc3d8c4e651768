import type { Context } from '../../context.ts';
import type { loopAnswer as endpoint } from '../../contract/loops/answer.ts';
import type { Handler } from '../../http/bind.ts';
import { turnAnswer } from '../../services/loops/wire-loop.ts';
import { ownerForRead } from '../project.ts';

export function loopAnswer({ identity, services }: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async (input) => {
    const owner = await ownerForRead({ identity }, input);
    const { loop, turn } = await services.loops.answer(owner, input.params, input.body);
    return turnAnswer(identity, loop, turn);
  };
}
