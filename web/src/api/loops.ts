import { queryOptions } from '@tanstack/react-query';
import { type ProjectAddress, projectIdOf } from '../urls.ts';
import { ask } from './client.ts';
import type { AnswerOf, RequestOf } from './contract.ts';
import { orMissing } from './missing.ts';
import { readAgain } from './read-again.ts';

export type Loop = AnswerOf<'GET /v2/{entity}/{project}/loops'>['loops'][number];
export type LoopWithTurns = AnswerOf<'GET /v2/{entity}/{project}/loops/{name}'>;
export type Turn = LoopWithTurns['turns'][number];
/** As it is sent. Answers have all fields. */
export type LoopPlan = RequestOf<'PUT /v2/{entity}/{project}/loops/{name}'>['body'];

/** The loops of a project by name, each with its latest turn. A project that does not exist yet has none. */
export function loopsQuery(address: ProjectAddress) {
  const params = addressOf(address);
  return queryOptions({
    queryKey: ['loops', projectIdOf(address), 'list'],
    queryFn: async ({ signal }) =>
      (await orMissing(ask('GET /v2/{entity}/{project}/loops', { params }, { signal }), { loops: [] })).loops,
    refetchInterval: ({ state: { data } }) =>
      data?.some(({ latest_turn: turn }) => turn !== null && isRunning(turn)) ? 2000 : 10_000,
  });
}

/** A loop with its turns, the newest first; read again often while a turn runs. */
export function loopQuery(address: ProjectAddress, name: string) {
  const params = { ...addressOf(address), name };
  return queryOptions({
    queryKey: ['loops', projectIdOf(address), 'loop', name],
    queryFn: ({ signal }) => ask('GET /v2/{entity}/{project}/loops/{name}', { params }, { signal }),
    refetchInterval: ({ state: { data } }) => (data?.turns.some(isRunning) ? 1000 : 5000),
  });
}

/** Whether a turn has begun and not ended. */
export function isRunning({ phase }: Pick<Turn, 'phase'>): boolean {
  return phase !== 'waiting' && phase !== 'ended';
}

/** @throws RequestError */
export async function createLoop(address: ProjectAddress, name: string, plan: LoopPlan): Promise<void> {
  await ask('POST /v2/{entity}/{project}/loops', { params: addressOf(address), body: { name, ...plan } });
  await readLoopsAgain(address);
}

/** @throws RequestError */
export async function changeLoop(address: ProjectAddress, name: string, plan: LoopPlan): Promise<void> {
  await ask('PUT /v2/{entity}/{project}/loops/{name}', { params: { ...addressOf(address), name }, body: plan });
  await readLoopsAgain(address);
}

/** @throws RequestError */
export async function deleteLoop(address: ProjectAddress, name: string): Promise<void> {
  await ask('DELETE /v2/{entity}/{project}/loops/{name}', { params: { ...addressOf(address), name } });
  await readAgain({ queryKey: ['loops', projectIdOf(address), 'list'] });
}

/** @throws RequestError */
export async function pauseLoop(address: ProjectAddress, name: string, reason: string): Promise<void> {
  const params = { ...addressOf(address), name };
  await ask('POST /v2/{entity}/{project}/loops/{name}/pause', { params, body: { reason } });
  await readLoopsAgain(address);
}

/** @throws RequestError */
export async function resumeLoop(address: ProjectAddress, name: string): Promise<void> {
  await ask('POST /v2/{entity}/{project}/loops/{name}/resume', { params: { ...addressOf(address), name } });
  await readLoopsAgain(address);
}

/** @throws RequestError */
export async function startTurn(address: ProjectAddress, name: string): Promise<number> {
  const params = { ...addressOf(address), name };
  const { number } = await ask('POST /v2/{entity}/{project}/loops/{name}/turns', { params });
  await readLoopsAgain(address);
  return number;
}

export type TurnAddress = { project: ProjectAddress; name: string; number: number };
export type Answer = RequestOf<'POST /v2/{entity}/{project}/loops/{name}/turns/{number}/answer'>['body'];

/** @throws RequestError */
export async function answerQuestion({ project, name, number }: TurnAddress, body: Answer): Promise<void> {
  const params = { ...addressOf(project), name, number };
  await ask('POST /v2/{entity}/{project}/loops/{name}/turns/{number}/answer', { params, body });
  await readLoopsAgain(project);
}

/** Whether the turn had not ended. @throws RequestError */
export async function cancelTurn({ project, name, number }: TurnAddress): Promise<boolean> {
  const params = { ...addressOf(project), name, number };
  const { canceled } = await ask('POST /v2/{entity}/{project}/loops/{name}/turns/{number}/cancel', { params });
  await readLoopsAgain(project);
  return canceled;
}

/** @throws RequestError */
export async function undoTurn({ project, name, number }: TurnAddress, reason: string): Promise<void> {
  const params = { ...addressOf(project), name, number };
  await ask('POST /v2/{entity}/{project}/loops/{name}/turns/{number}/undo', { params, body: { reason } });
  await Promise.all([readLoopsAgain(project), readAgain({ queryKey: ['policies', projectIdOf(project)] })]);
}

function readLoopsAgain(address: ProjectAddress): Promise<void> {
  return readAgain({ queryKey: ['loops', projectIdOf(address)] });
}

function addressOf({ entity, project }: ProjectAddress): ProjectAddress {
  return { entity, project };
}
