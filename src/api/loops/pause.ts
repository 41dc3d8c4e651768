import type { Context } from '../../context.ts';
import type * as contract from '../../contract/loops/pause.ts';
import type { Handler } from '../../http/bind.ts';
import { loopAnswer } from '../../services/loops/wire-loop.ts';
import { ownerForRead } from '../project.ts';

type Needed = Pick<Context, 'identity' | 'services'>;

export function loopPause({ identity, services }: Needed): Handler<typeof contract.loopPause> {
  return async (input) => {
    const owner = await ownerForRead({ identity }, input);
    return loopAnswer(identity, await services.loops.pause(owner, input.params.name, input.body.reason));
  };
}

export function loopResume({ identity, services }: Needed): Handler<typeof contract.loopResume> {
  return async (input) => {
    const owner = await ownerForRead({ identity }, input);
    return loopAnswer(identity, await services.loops.resume(owner, input.params.name));
  };
}
