import type { Context } from '../../context.ts';
import type { loopResume as endpoint } from '../../contract/loops/resume.ts';
import type { Handler } from '../../http/bind.ts';
import { loopAnswer } from '../../services/loops/wire-loop.ts';
import { ownerForRead } from '../project.ts';

export function loopResume({ identity, services }: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async (input) => {
    const owner = await ownerForRead({ identity }, input);
    return loopAnswer(identity, await services.loops.resume(owner, input.params.name));
  };
}
