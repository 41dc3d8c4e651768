import { z } from 'zod';
import { type LoopPlan, loopPlan } from '../contract/loops/loop.ts';
import { validate } from '../contract/validate.ts';
import type { Identity } from '../identity/identity.ts';
import { loopAnswer, loopsAnswer, loopWithTurnsAnswer, turnAnswer } from '../services/loops/wire-loop.ts';
import type { Owner } from '../services/owner.ts';
import type { Services } from '../services/services.ts';
import { invalidInput } from '../util/failures.ts';
import { serverOwnerOf } from './owner.ts';

type Parts = { identity: Identity; services: Pick<Services, 'loops'> };

const ofProject = z.object({ project: z.string() });
const ofLoop = ofProject.extend({ name: z.string() });
/** The number of a turn; null for the latest one. */
const ofTurn = ofLoop.extend({ number: z.number().nullable() });

export const saveLoopParams = ofLoop.extend({
  /** As in the API. */
  plan: z.unknown(),
});
export const loopsParams = ofProject;
export const loopParams = ofLoop;
export const pauseLoopParams = ofLoop.extend({ reason: z.string() });
export const turnParams = ofTurn;
export const answerTurnParams = ofTurn.extend({ answer: z.enum(['yes', 'no']), reason: z.string() });
export const undoTurnParams = ofTurn.extend({ reason: z.string() });

/** Makes a loop, or changes its plan. */
export async function saveLoop({ identity, services }: Parts, params: z.output<typeof saveLoopParams>) {
  const owner = await serverOwnerOf({ identity }, params.project, 'write');
  const plan: LoopPlan = validate(loopPlan, params.plan, 'plan');
  const isNew = !(await services.loops.list(owner)).some(({ loop }) => loop.name === params.name);
  const saved = isNew
    ? await services.loops.create(owner, params.name, plan)
    : await services.loops.change(owner, params.name, plan);
  return { isNew, loop: await loopAnswer(identity, saved) };
}

export async function listLoops({ identity, services }: Parts, params: z.output<typeof loopsParams>) {
  const owner = await serverOwnerOf({ identity }, params.project, 'read');
  return loopsAnswer(identity, await services.loops.list(owner));
}

export async function readLoop({ identity, services }: Parts, params: z.output<typeof loopParams>) {
  const owner = await serverOwnerOf({ identity }, params.project, 'read');
  return loopWithTurnsAnswer(identity, await services.loops.read(owner, params.name));
}

export async function deleteLoop({ identity, services }: Parts, params: z.output<typeof loopParams>) {
  await services.loops.delete(await serverOwnerOf({ identity }, params.project, 'read'), params.name);
  return {};
}

export async function pauseLoop({ identity, services }: Parts, params: z.output<typeof pauseLoopParams>) {
  const owner = await serverOwnerOf({ identity }, params.project, 'read');
  return loopAnswer(identity, await services.loops.pause(owner, params.name, params.reason));
}

export async function resumeLoop({ identity, services }: Parts, params: z.output<typeof loopParams>) {
  const owner = await serverOwnerOf({ identity }, params.project, 'read');
  return loopAnswer(identity, await services.loops.resume(owner, params.name));
}

export async function startTurn({ identity, services }: Parts, params: z.output<typeof loopParams>) {
  const owner = await serverOwnerOf({ identity }, params.project, 'read');
  const { loop, turn } = await services.loops.startTurn(owner, params.name);
  return turnAnswer(identity, loop, turn);
}

export async function answerTurn({ identity, services }: Parts, params: z.output<typeof answerTurnParams>) {
  const { owner, turn } = await turnOf({ identity, services }, params);
  const answered = await services.loops.answer(owner, turn, params);
  return turnAnswer(identity, answered.loop, answered.turn);
}

export async function cancelTurn({ identity, services }: Parts, params: z.output<typeof turnParams>) {
  const { owner, turn } = await turnOf({ identity, services }, params);
  return { number: turn.number, canceled: await services.loops.cancelTurn(owner, turn) };
}

export async function undoTurn({ identity, services }: Parts, params: z.output<typeof undoTurnParams>) {
  const { owner, turn } = await turnOf({ identity, services }, params);
  const undone = await services.loops.undoTurn(owner, turn, params.reason);
  return turnAnswer(identity, undone.loop, undone.turn);
}

async function turnOf({ identity, services }: Parts, { project, name, number }: z.output<typeof turnParams>) {
  const owner: Owner = await serverOwnerOf({ identity }, project, 'read');
  if (number !== null) return { owner, turn: { name, number } };
  const [latest] = (await services.loops.read(owner, name)).turns;
  if (!latest) throw invalidInput(`The loop ${name} has no turn yet.`);
  return { owner, turn: { name, number: latest.number } };
}
