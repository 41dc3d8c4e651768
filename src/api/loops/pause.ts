import type { Context } from '../../context.ts';
import type { loopPause as endpoint } from '../../contract/loops/pause.ts';
import type { Handler } from '../../http/bind.ts';
import { loopAnswer } from '../../services/loops/wire-loop.ts';
import { ownerForRead } from '../project.ts';

export function loopPause({ identity, services }: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async (input) => {
    const owner = await ownerForRead({ identity }, input);
    return loopAnswer(identity, await services.loops.pause(owner, input.params.name, input.body.reason));
  };
}
