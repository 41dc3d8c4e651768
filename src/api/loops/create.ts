import type { Context } from '../../context.ts';
import type { loopCreate as endpoint } from '../../contract/loops/create.ts';
import type { Handler } from '../../http/bind.ts';
import { loopAnswer } from '../../services/loops/wire-loop.ts';
import { ownerForWrite } from '../project.ts';

export function loopCreate({ identity, services }: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async (input) => {
    const { name, ...plan } = input.body;
    const owner = await ownerForWrite({ identity }, input);
    return loopAnswer(identity, await services.loops.create(owner, name, plan));
  };
}
