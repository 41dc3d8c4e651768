import type { FeedbackWire } from '../contract/feedback/feedback.ts';
import type { FoundCall } from '../domain/calls/found-call.ts';
import { derivedId, idAt } from '../domain/calls/ids.ts';
import { inputsOf, outputOf } from '../domain/evaluations/marks.ts';
import { isRef } from '../domain/refs.ts';
import { membersOf } from '../domain/resources/values.ts';
import type { Owner } from '../services/owner.ts';
import { forEachAtOnce } from '../util/for-each-at-once.ts';
import { parseJson, parsePlain } from '../util/json/parse.ts';
import { versionReader } from './read-version.ts';
import type { RunOptions } from './run-evaluation.ts';
import { scoreOp } from './run-trial.ts';
import { scoreOnce } from './score-once.ts';
import { readScorer } from './scorers/read-scorer.ts';
import type { Scored, Scorer } from './scorers/scorer.ts';
import type { EvaluationDeps } from './setup.ts';

type ScoreRequest = {
  /** A repeated job records each score once: without a trigger, ids of scores are derived from it. */
  jobId: string;
  owner: Owner;
  callIds: string[];
  scorers: string[];
  /** The ref of the monitor that asks for the scores, which records a score of a call once, however often it asks. */
  trigger: string | null;
  /** Whether scores are recorded as calls too, and not as feedback alone. */
  isTraced: boolean;
};

/** Calls that are scored at once. */
const callsAtOnce = 8;

/**
 * Applies scorers to calls as `call.apply_scorer` of the Python SDK does: each score is a call of its own and feedback on
 * the scored call.
 * @returns the ids of calls that do not exist, or have not ended
 * @throws Failure for a scorer that cannot be applied
 */
export async function scoreCalls(
  deps: EvaluationDeps,
  request: ScoreRequest,
  { signal, assertHeld }: Pick<RunOptions, 'signal' | 'assertHeld'>,
): Promise<string[]> {
  const { owner } = request;
  const { project, caller } = owner;
  const { rules, graders, services } = deps;
  const context = { completions: services.completions, rules, graders, readVersion: versionReader(deps, caller) };
  const scorers = await Promise.all([...new Set(request.scorers)].map((ref) => readScorer(ref, context)));
  const opRefs = await deps.services.evaluations.opRefs(owner, ...scorers.map(scoreOp));
  const found = (await deps.services.calls.find([...new Set(request.callIds)], { project })).map(({ call }) => call);
  const ended = found.filter(({ endedAt }) => endedAt !== null);
  const places = ended.flatMap((call) => scorers.map((scorer) => ({ call, scorer, ...idsOf(request, call, scorer) })));
  const recorded = await recordedOf(deps, request, places);
  const left = places.filter(({ callId, feedbackId }) => !recorded.has(request.isTraced ? callId : feedbackId));
  await forEachAtOnce(inOrder(left), callsAtOnce, signal, async ({ call, scorer, callId, feedbackId }, ownSignal) => {
    const place = {
      callId,
      feedbackId,
      traceId: callId,
      parentId: null,
      opName: opRefs[scoreOp(scorer)]!,
      attributes: { weave: { kind: 'scorer', score: 'true', prediction_id: call.id, scorer: scorer.ref } },
      scoredCallId: call.id,
      triggerRef: request.trigger,
    };
    const score = await scoreOnce(scorer, await scoredOf(deps, call, owner), place, owner, ownSignal);
    await assertHeld();
    // The call is written last, so if it exists, the feedback does too.
    if (score.feedback) await deps.services.feedback.add(caller, [withCall(score.feedback, request.isTraced)]);
    if (!request.isTraced) return;
    const part = await deps.services.calls.makeComplete(score.call, caller.userId);
    await deps.services.calls.record([{ projectId: project.id, id: callId, part }]);
  });
  const scored = new Set(ended.map(({ id }) => id));
  return request.callIds.filter((id) => !scored.has(id));
}

function withCall(feedback: FeedbackWire, isTraced: boolean): FeedbackWire {
  return isTraced ? feedback : { ...feedback, call_ref: null };
}

type Ids = { callId: string; feedbackId: string };

function idsOf({ jobId, trigger }: ScoreRequest, call: FoundCall, scorer: Scorer): Ids {
  const path = `${call.id}/${scorer.ref}`;
  const idOf = (of: string) => (trigger === null ? derivedId(jobId, of) : idAt(call.startedAt, `${trigger}/${of}`));
  return { callId: idOf(path), feedbackId: idOf(`feedback/${path}`) };
}

/** The ids of scores that are recorded: of their calls if they have some, or of their feedback. */
async function recordedOf({ services }: EvaluationDeps, request: ScoreRequest, places: Ids[]): Promise<Set<string>> {
  const { isTraced, owner } = request;
  const ids = places.map(({ callId, feedbackId }) => (isTraced ? callId : feedbackId));
  if (!isTraced) return services.feedback.known(owner.project, ids);
  const known = await services.calls.find(ids, { project: owner.project, columns: new Set(['id'] as const) });
  return new Set(known.map(({ call }) => call.id));
}

async function* inOrder<Item>(items: Item[]): AsyncGenerator<Item> {
  yield* items;
}

/** The inputs of a call, with the values behind refs: the SDK's evaluations pass cells of a dataset as refs. */
async function scoredOf({ services }: EvaluationDeps, call: FoundCall, { caller }: Owner): Promise<Scored> {
  const inputs = inputsOf(call);
  const members = Object.entries(membersOf(inputs));
  const refs = members.flatMap(([, { kind, text }]) => {
    const value = kind === 'string' ? (JSON.parse(text) as string) : '';
    return isRef(value) ? [value] : [];
  });
  const values = refs.length > 0 ? await services.refs.resolve(caller, refs) : new Map<string, string>();
  const row = members.map(([name, { kind, text }]) => {
    const value = kind === 'string' ? values.get(parsePlain(text)) : undefined;
    return [name, parseJson(value ?? text, { keepsDigits: true })];
  });
  const output = outputOf(call);
  const texts = { row: inputs, output };
  return { row: Object.fromEntries(row), output: parseJson(output.text, { keepsDigits: true }), texts };
}
