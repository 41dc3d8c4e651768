import type { FoundCall } from '../domain/calls/found-call.ts';
import { derivedId } from '../domain/calls/ids.ts';
import type { NewEnd, NewStart } from '../domain/calls/new-call.ts';
import { evaluationOps } from '../domain/evaluations/marks.ts';
import type { Owner } from '../services/owner.ts';
import { JsonText } from '../util/json/json-text.ts';
import { parseJson, parsePlain } from '../util/json/parse.ts';
import { toJson } from '../util/json/write.ts';
import { nowMicroseconds } from '../util/timestamp.ts';
import { toMessages } from './models/completion-model.ts';
import { type TrialInput, trialCallId } from './record-run.ts';
import { exceptionOf, scoreOnce } from './score-once.ts';
import type { Scorer } from './scorers/scorer.ts';
import type { EvaluationDeps, EvaluationSetup } from './setup.ts';

/** A run of an evaluation. */
export type EvaluationRun = {
  id: string;
  owner: Owner;
  setup: EvaluationSetup;
  /** The refs of ops, by their names. */
  opRefs: Record<string, string>;
};

type Call = NewStart & NewEnd;

/**
 * Asks the model and applies the scorers, and records each step as soon as it is done: what a crash leaves behind is
 * used, not repeated.
 * @throws Failure if the evaluation cannot go on
 */
export async function runTrial(
  { services }: Pick<EvaluationDeps, 'services'>,
  run: EvaluationRun,
  trial: TrialInput,
  { signal, mayExist }: { signal: AbortSignal; mayExist: boolean },
): Promise<void> {
  const { owner, setup } = run;
  const id = trialCallId(run.id, trial);
  const predictId = derivedId(id, 'predict');
  const placeOf = (scorer: Scorer) => ({
    callId: derivedId(id, `score/${scorer.key}`),
    feedbackId: derivedId(id, `feedback/${scorer.key}`),
  });
  const recorded = mayExist
    ? await findRecorded([predictId, ...setup.scorers.map((each) => placeOf(each).callId)])
    : new Map();

  const predict = recorded.get(predictId) ?? (await recordPrediction());
  const latencySeconds = (predict.endedAt! - predict.startedAt) / 1e6;
  const output = new JsonText(predict.exception ? 'null' : predict.output || 'null');
  const scores = predict.exception ? {} : await recordScores(output);
  await record({
    ...trialStart(predict.startedAt),
    endedAt: nowMicroseconds(),
    output: toJson({ output, scores, model_latency: latencySeconds }),
    summary: '{}',
  });

  async function findRecorded(ids: string[]): Promise<Map<string, FoundCall>> {
    const found = await services.calls.find(ids, { project: owner.project });
    return new Map(found.filter(({ call }) => call.endedAt !== null).map(({ call }) => [call.id, call]));
  }

  async function record(...calls: Call[]): Promise<void> {
    const parts = calls.map(async (call) => ({
      projectId: owner.project.id,
      id: call.id,
      part: await services.calls.makeComplete(call, owner.caller.userId),
    }));
    await services.calls.record(await Promise.all(parts));
  }

  function trialStart(startedAt: number): NewStart {
    return {
      id,
      traceId: run.id,
      parentId: run.id,
      opName: run.opRefs[evaluationOps.predictAndScore]!,
      startedAt,
      attributes: toJson({ ...childAttributes, weave: { predict_call_id: predictId } }),
      inputs: toJson({
        self: setup.evaluationRef,
        model: setup.model.ref,
        example: `${setup.dataset.ref}/attr/rows/id/${trial.rowDigest}`,
      }),
    };
  }

  async function recordPrediction(): Promise<Call> {
    const startedAt = nowMicroseconds();
    const start = trialStart(startedAt);
    const { origin, ...end } = await predictOnce();
    const call = {
      id: predictId,
      traceId: run.id,
      parentId: id,
      opName: run.opRefs[predictOp(setup)]!,
      startedAt,
      attributes: toJson({
        ...childAttributes,
        ...(origin === null ? {} : { heddle: origin }),
        weave: { prediction: 'true', model: setup.model.ref, evaluation_run_id: run.id },
      }),
      inputs: toJson({ self: setup.model.ref, inputs: trial.rowText }),
      ...end,
    };
    const part = await services.calls.makeStart(start, owner.caller.userId);
    await services.calls.record([{ projectId: owner.project.id, id, part }]);
    await record(call);
    return call;
  }

  async function predictOnce(): Promise<NewEnd & { origin: Record<string, unknown> | null }> {
    const { user_input, config: _, ...variables } = trial.row;
    try {
      const input = { variables, messages: toMessages(user_input) };
      const { output, usage, origin } = await setup.model.predict(input, owner, signal);
      return { endedAt: nowMicroseconds(), output: toJson(output ?? null), summary: toJson({ usage }), origin };
    } catch (error) {
      return { endedAt: nowMicroseconds(), exception: exceptionOf(error, signal), summary: '{}', origin: null };
    }
  }

  async function recordScores(output: JsonText): Promise<Record<string, unknown>> {
    const found = setup.scorers.map(async (scorer) => {
      const place = placeOf(scorer);
      const known = recorded.get(place.callId);
      if (known) return [scorer.key, known.exception ? undefined : parsePlain(known.output || 'null')];
      const score = await scoreOnce(
        scorer,
        {
          row: trial.row,
          output: parseJson(output.text, { keepsDigits: true }),
          texts: { row: trial.rowText, output },
        },
        {
          ...place,
          traceId: run.id,
          parentId: id,
          opName: run.opRefs[scoreOp(scorer)]!,
          attributes: {
            ...childAttributes,
            weave: {
              kind: 'scorer',
              score: 'true',
              prediction_id: predictId,
              scorer: scorer.ref,
              evaluation_run_id: run.id,
            },
          },
          scoredCallId: predictId,
          triggerRef: null,
        },
        owner,
        signal,
      );
      // The call is written last, so if it exists, the feedback does too.
      if (score.feedback) await services.feedback.add(owner.caller, [score.feedback]);
      await record(score.call);
      return [scorer.key, score.score];
    });
    return Object.fromEntries((await Promise.all(found)).filter(([, score]) => score !== undefined));
  }
}

export const childAttributes = { _weave_eval_meta: { evaluate_model_worker: true, declarative: true } };

/** The names of the ops of a run. */
export function opsOf(setup: EvaluationSetup): string[] {
  return [...Object.values(evaluationOps), predictOp(setup), ...setup.scorers.map(scoreOp)];
}

function predictOp({ model }: EvaluationSetup): string {
  return `${model.className}.predict`;
}

export function scoreOp({ objectName }: Pick<Scorer, 'objectName'>): string {
  return `${objectName}.score`;
}
