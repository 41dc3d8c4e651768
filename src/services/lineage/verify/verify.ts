import { setTimeout as wait } from 'node:timers/promises';
import type { EngineVersion, ModelReference } from '../../../chat/types.ts';
import {
  compareAnswers,
  firstBeyondTolerance,
  largestDifference,
  logprobTolerance,
} from '../../../domain/lineage/compare-answers.ts';
import { Unverifiable, type Verification } from '../../../domain/lineage/verification.ts';
import type { Caller } from '../../../identity/identity.ts';
import type { FileDigests } from '../../../inference/model-reader.ts';
import { Failure, isRefusal } from '../../../util/failures.ts';
import type { Calls } from '../../calls/calls.ts';
import type { Deps } from '../../deps.ts';
import type { ServedModels } from '../../models/served-models.ts';
import type { Project } from '../../owner.ts';
import { checkDigests } from './check-digests.ts';
import { newestAnswers } from './newest-answers.ts';
import { type RecordedModelDeps, recordedModel } from './recorded-model.ts';
import { type ReplayDeps, type Replayed, replay } from './replay.ts';
import { scoreTokens } from './score-tokens.ts';
import { type StoredAnswer, storedAnswer } from './stored-answer.ts';

export type VerifyDeps = RecordedModelDeps &
  ReplayDeps &
  Pick<Deps, 'modelReader'> & { calls: Pick<Calls, 'find' | 'query'>; servedModels: ServedModels };

export type VerifyRequest = {
  project: Project;
  caller: Caller;
  /** The calls, or how many of the newest answers. */
  which: { callIds: readonly string[] } | { last: number };
  /** The name of a model that is asked in place of the one that answered; null for that one. */
  model: string | null;
  signal: AbortSignal;
};

export type Verified = { callId: string; verification: Verification };

/** How many answers are computed at the same time. */
const atOnce = 4;
/** How many calls are read at once: their payloads can be large. */
const readTogether = 20;

/**
 * Computes recorded answers again and compares them with what was recorded, in the order of the calls. The digests of each model's files
 * are read once.
 * @throws Failure for another model that does not exist
 */
export async function* verifyAnswers(deps: VerifyDeps, request: VerifyRequest): AsyncGenerator<Verified> {
  const { which, model: name, caller } = request;
  const other = name === null ? null : await deps.servedModels.resolve(name, caller);
  const verifier = openVerifier(deps, { ...request, other });
  const callIds = 'callIds' in which ? which.callIds : await newestAnswers(deps, request.project, which.last);
  for (let from = 0; from < callIds.length; from += readTogether) {
    const ids = callIds.slice(from, from + readTogether);
    const found = await deps.calls.find([...new Set(ids)], { project: request.project });
    const byId = new Map(found.map(({ call }) => [call.id, call]));
    const running: Promise<Verified>[] = [];
    for (const callId of ids) {
      const verified = verifier(byId.get(callId) ?? null).then((verification) => ({ callId, verification }));
      verified.catch(() => {}); // nobody waits for the others once one has failed
      running.push(verified);
      if (running.length === atOnce) yield await running.shift()!;
    }
    yield* await Promise.all(running);
  }
}

type Verifying = VerifyRequest & { other: ModelReference | null };
type FoundCall = Parameters<typeof storedAnswer>[0];

function openVerifier(deps: VerifyDeps, verifying: Verifying) {
  const digests = new Map<string, Promise<FileDigests>>();

  function digestsOf(model: ModelReference): Promise<FileDigests> {
    const key = `${model.id} ${model.adapter?.id ?? ''}`;
    const reading = digests.get(key) ?? deps.modelReader.fileDigests(model);
    digests.set(key, reading);
    return reading;
  }

  return async (call: FoundCall | null): Promise<Verification> => {
    try {
      if (call === null) throw new Unverifiable('not_found', 'There is no call with this id in the project.');
      const answer = storedAnswer(call);
      const model = verifying.other ?? (await recordedModel(deps, answer.record, verifying.caller));
      const found = await digestsOf(model).catch(asMissing);
      checkDigests(answer, found, { isOtherModel: verifying.other !== null });
      return await compute(deps, answer, model, verifying);
    } catch (error) {
      if (verifying.signal.aborted || !isAnswer(error)) throw error;
      if (error instanceof Unverifiable) return cannot(error);
      return cannot(new Unverifiable('unavailable', error.message));
    }
  };
}

/** Draws the answer again; where that gives other tokens, looks at what the model predicts for the recorded ones. */
async function compute(
  deps: VerifyDeps,
  answer: StoredAnswer,
  model: ModelReference,
  verifying: Verifying,
): Promise<Verification> {
  const { choices, record } = answer;
  const asked = { ...verifying, answer, model };
  const again = await untilTaken(() => replay(deps, asked), verifying.signal).catch(nullIfRefused);
  const isSamePrompt = again !== null && hasSamePrompts(answer, again);
  const isExact = isSamePrompt && promises(record, again.engine);
  const isPromised = isExact && verifying.other === null;
  const compared = isSamePrompt ? compareAnswers(choices, again.choices) : null;
  const tokens = choices.reduce((sum, { ids }) => sum + ids.length, 0);
  const note = again === null ? notRepeatable : isSamePrompt ? null : anotherPrompt;
  const firstDifference = compared?.firstDifference ?? null;
  if (compared && firstDifference === null && compared.logprobDifference <= (isExact ? 0 : logprobTolerance)) {
    return { result: 'identical', isPromised, tokens, logprobDifference: compared.logprobDifference, note };
  }
  const scores: (number | null)[][] = [];
  for (const choice of choices) {
    scores.push(await untilTaken(() => scoreTokens(deps, { model, ...choice }, verifying), verifying.signal));
  }
  const differences = choices.map(({ logprobs }, index) => largestDifference(logprobs, scores[index]!));
  const logprobDifference = Math.max(0, ...differences);
  const measured = { isPromised, tokens, logprobDifference, note };
  if (logprobDifference <= logprobTolerance) return { result: 'consistent', firstDifference, ...measured };
  const engine = again && engineFault(record.engine, again.engine);
  if (engine) {
    const message = `${engine} Its logprobs are up to ${logprobDifference.toPrecision(3)} from the recorded ones.`;
    throw new Unverifiable('engine', message);
  }
  const place = firstDifference ?? firstBeyondTolerance(choices, scores);
  return { result: 'different', firstDifference: place, ...measured };
}

/** A request that is refused now, such as one with a published object that was deleted. */
function nullIfRefused(error: unknown): null {
  if (isRefusal(error)) return null;
  throw error;
}

const notRepeatable =
  'The request cannot be made again from its call, so only the logprobs of its tokens were compared.';
const anotherPrompt = 'The request has another prompt now, so only the logprobs of its tokens were compared.';

function hasSamePrompts({ choices }: StoredAnswer, again: Replayed): boolean {
  return choices.every(({ promptIds }, index) => {
    const now = again.choices[index]?.promptIds;
    return now?.length === promptIds.length && promptIds.every((id, i) => id === now[i]);
  });
}

/** Whether the same files give the same logprobs, to the last bit, and so the same tokens: nothing depends on other requests. */
function promises({ engine }: StoredAnswer['record'], now: EngineVersion): boolean {
  const { batchInvariant, threads } = engine;
  return (
    batchInvariant === true &&
    now.batchInvariant === true &&
    threads === now.threads &&
    engineFault(engine, now) === null
  );
}

function engineFault(recorded: StoredAnswer['record']['engine'], now: EngineVersion): string | null {
  if (recorded.version === now.version && recorded.arithmetic === now.arithmetic) return null;
  const shown = ({ version, arithmetic }: typeof recorded) => `heddle ${version} with ${arithmetic} arithmetic`;
  return `The answer was computed by ${shown(recorded)}; this is ${shown(now)}.`;
}

/** Requests of clients come first: a model that is busy is asked again. */
async function untilTaken<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Failure && error.kind === 'busy') || attempt === attemptsMax) throw error;
      await wait(busyMs, undefined, { signal });
    }
  }
}

const attemptsMax = 120;
const busyMs = 500;

function asMissing(error: unknown): never {
  const isMissing = isRefusal(error) || (error as NodeJS.ErrnoException)?.code === 'ENOENT';
  if (isMissing) throw new Unverifiable('files_missing', `The files are not here: ${(error as Error).message}`);
  throw error;
}

function isAnswer(error: unknown): error is Error {
  return error instanceof Unverifiable || error instanceof Failure;
}

function cannot({ reason, message, digests }: Unverifiable): Verification {
  return { result: 'cannot', reason, message, digests };
}
