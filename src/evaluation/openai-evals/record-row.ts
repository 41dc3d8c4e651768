import { derivedId } from '../../domain/calls/ids.ts';
import type { NewEnd, NewStart } from '../../domain/calls/new-call.ts';
import { evaluationOps } from '../../domain/evaluations/marks.ts';
import type { StoredItem } from '../../domain/openai-evals/stored-item.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { toJson } from '../../util/json/write.ts';
import { nowMicroseconds } from '../../util/timestamp.ts';
import { type TrialInput, trialCallId } from '../record-run.ts';
import type { RecordedRun } from '../recorded-run.ts';
import { childAttributes, scoreOp } from '../run-trial.ts';
import type { RecordedScore, ScorePlace } from '../score-once.ts';
import type { EvaluationDeps } from '../setup.ts';
import type { CriterionScorer } from './criterion-scorers.ts';
import type { RowSample } from './sample-row.ts';

type Call = NewStart & NewEnd;

/** The op of the calls that generate an output, or represent a recorded one. */
export const sampleOp = 'OpenAIEvalModel.predict';

/** A row with its output and its scores. Times are microseconds since 1970. */
export type GradedRow = {
  sample: Pick<RowSample, 'output' | 'usage'> & { error: { message: string } | null };
  scores: (RecordedScore & { key: string })[];
  stored: StoredItem;
  startedAt: number;
  answeredAt: number;
  endedAt?: number;
};

/** Records a row as a trial. All its calls are recorded at once, so after a crash a row is recorded whole or not at all. */
export async function recordRow(
  { services }: Pick<EvaluationDeps, 'services'>,
  run: RecordedRun,
  trial: TrialInput,
  { sample, scores, stored, startedAt, answeredAt, endedAt = nowMicroseconds() }: GradedRow,
): Promise<void> {
  const { owner, setup } = run;
  const id = trialCallId(run.id, trial);
  const predictId = predictCallId(run, trial);
  const output = new JsonText(toJson(sample.output ?? null));
  const { error } = sample;
  const predict: Call = {
    id: predictId,
    traceId: run.id,
    parentId: id,
    opName: run.opRefs[sampleOp]!,
    startedAt,
    endedAt: answeredAt,
    attributes: toJson({
      ...childAttributes,
      weave: { prediction: 'true', model: setup.model.ref, evaluation_run_id: run.id },
    }),
    inputs: toJson({ self: setup.model.ref, inputs: trial.rowText }),
    ...(error ? { exception: error.message } : { output: output.text }),
    summary: toJson(Object.keys(sample.usage).length > 0 ? { usage: sample.usage } : {}),
  };
  const whole: Call = {
    id,
    traceId: run.id,
    parentId: run.id,
    opName: run.opRefs[evaluationOps.predictAndScore]!,
    startedAt,
    endedAt,
    attributes: toJson({ ...childAttributes, weave: { predict_call_id: predictId }, openai_eval: stored }),
    inputs: toJson({
      self: setup.evaluationRef,
      model: setup.model.ref,
      example: `${setup.dataset.ref}/attr/rows/id/${trial.rowDigest}`,
    }),
    output: toJson({
      output,
      scores: Object.fromEntries(scores.flatMap(({ key, score }) => (score === undefined ? [] : [[key, score]]))),
      model_latency: (answeredAt - startedAt) / 1e6,
    }),
    summary: '{}',
  };
  await services.feedback.add(
    owner.caller,
    scores.flatMap(({ feedback }) => (feedback ? [feedback] : [])),
  );
  const parts = [predict, ...scores.map(({ call }) => call), whole].map(async (call) => ({
    projectId: owner.project.id,
    id: call.id,
    part: await services.calls.makeComplete(call, owner.caller.userId),
  }));
  await services.calls.record(await Promise.all(parts));
}

/** Where the score of a criterion is recorded. */
export function scorePlace(run: RecordedRun, trial: TrialInput, scorer: CriterionScorer): ScorePlace {
  const id = trialCallId(run.id, trial);
  const predictId = predictCallId(run, trial);
  const marks = {
    kind: 'scorer',
    score: 'true',
    prediction_id: predictId,
    scorer: scorer.ref,
    evaluation_run_id: run.id,
  };
  return {
    callId: derivedId(id, `score/${scorer.key}`),
    feedbackId: derivedId(id, `feedback/${scorer.key}`),
    traceId: run.id,
    parentId: id,
    opName: run.opRefs[scoreOp(scorer)]!,
    attributes: { ...childAttributes, weave: marks },
    scoredCallId: predictId,
    triggerRef: null,
  };
}

function predictCallId(run: RecordedRun, trial: TrialInput): string {
  return derivedId(trialCallId(run.id, trial), 'predict');
}
