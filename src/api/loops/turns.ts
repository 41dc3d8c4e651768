import type { Context } from '../../context.ts';
import type * as contract from '../../contract/loops/turns.ts';
import type { Handler } from '../../http/bind.ts';
import { turnAnswer } from '../../services/loops/wire-loop.ts';
import { ownerForRead } from '../project.ts';

type Needed = Pick<Context, 'identity' | 'services'>;

export function loopStartTurn({ identity, services }: Needed): Handler<typeof contract.loopStartTurn> {
  return async (input) => {
    const owner = await ownerForRead({ identity }, input);
    return answerOf(identity, await services.loops.startTurn(owner, input.params.name));
  };
}

export function loopAnswer({ identity, services }: Needed): Handler<typeof contract.loopAnswer> {
  return async (input) => {
    const owner = await ownerForRead({ identity }, input);
    return answerOf(identity, await services.loops.answer(owner, input.params, input.body));
  };
}

export function loopCancelTurn({ identity, services }: Needed): Handler<typeof contract.loopCancelTurn> {
  return async (input) => {
    const owner = await ownerForRead({ identity }, input);
    return { canceled: await services.loops.cancelTurn(owner, input.params) };
  };
}

export function loopUndoTurn({ identity, services }: Needed): Handler<typeof contract.loopUndoTurn> {
  return async (input) => {
    const owner = await ownerForRead({ identity }, input);
    return answerOf(identity, await services.loops.undoTurn(owner, input.params, input.body.reason));
  };
}

function answerOf(
  identity: Context['identity'],
  found: Awaited<ReturnType<Context['services']['loops']['startTurn']>>,
) {
  return turnAnswer(identity, found.loop, found.turn);
}
