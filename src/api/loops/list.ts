import type { Context } from '../../context.ts';
import type { loopList as endpoint } from '../../contract/loops/list.ts';
import type { Handler } from '../../http/bind.ts';
import { loopsAnswer } from '../../services/loops/wire-loop.ts';
import { ownerForRead } from '../project.ts';

export function loopList({ identity, services }: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async (input) => {
    const owner = await ownerForRead({ identity }, input);
    return { loops: await loopsAnswer(identity, await services.loops.list(owner)) };
  };
}
