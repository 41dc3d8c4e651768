import type { Context } from '../../context.ts';
import type { loopRead as endpoint } from '../../contract/loops/read.ts';
import type { Handler } from '../../http/bind.ts';
import { loopWithTurnsAnswer } from '../../services/loops/wire-loop.ts';
import { ownerForRead } from '../project.ts';

export function loopRead({ identity, services }: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async (input) => {
    const owner = await ownerForRead({ identity }, input);
    return loopWithTurnsAnswer(identity, await services.loops.read(owner, input.params.name));
  };
}
