import type { DataSource } from '../../contract/openai-eval-runs/data-source.ts';
import { derivedId } from '../../domain/calls/ids.ts';
import type { NewEnd, NewStart } from '../../domain/calls/new-call.ts';
import { evaluationOps } from '../../domain/evaluations/marks.ts';
import { GradeError } from '../../domain/graders/grade-error.ts';
import { itemIdOf, type StoredItem } from '../../domain/openai-evals/stored-item.ts';
import { sumUsage } from '../../domain/usage/sum-usage.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { toJson } from '../../util/json/write.ts';
import { nowMicroseconds } from '../../util/timestamp.ts';
import type { Graders } from '../graders/graders.ts';
import { type RecordedRun, type Trial, trialCallId } from '../record-run.ts';
import { childAttributes, scoreOp } from '../run-trial.ts';
import { scoreOnce } from '../score-once.ts';
import type { EvaluationDeps } from '../setup.ts';
import { type CriterionResult, type CriterionScorer, scorerForRow } from './criterion-scorers.ts';
import { type RowSample, rowOf, sampleRow } from './sample-row.ts';

/** A run of an eval. */
export type EvalRun = RecordedRun & { scorers: CriterionScorer[]; source: DataSource };

type Call = NewStart & NewEnd;
type Deps = Pick<EvaluationDeps, 'services'> & { graders: Graders };

/** The op of the calls that answer, or that stand for recorded answers. */
export const sampleOp = 'OpenAIEvalModel.predict';

/**
 * Gets the output for a row, grades it, and records both as a trial. All calls of a row are recorded at once, so after a
 * crash a row is recorded whole or not at all.
 * @throws Failure if the run cannot go on
 */
export async function runRow(deps: Deps, run: EvalRun, trial: Trial, signal: AbortSignal): Promise<StoredItem> {
  const { services, graders } = deps;
  const { owner, setup } = run;
  const id = trialCallId(run.id, trial);
  const predictId = derivedId(id, 'predict');
  const startedAt = nowMicroseconds();
  const row = rowOf(trial.row);
  const sample = await sampleRow(row, run.source, { completions: services.completions, owner, signal });
  const answeredAt = nowMicroseconds();
  const error = sample.shown.error;
  const output = new JsonText(toJson(sample.output ?? null));
  const graded = error ? [] : await Promise.all(run.scorers.map(grade));

  const results = graded.map(({ result }) => result);
  const scores = graded.flatMap(({ key, score }) => (score === undefined ? [] : [[key, score]]));
  const stored: StoredItem = {
    id: itemIdOf(id),
    index: trial.rowIndex,
    status: statusOf(sample, graded),
    results,
    sample: sample.shown,
    usage: sumUsage([sample.usage, ...graded.map(({ usage }) => usage)]),
  };
  await services.feedback.add(
    owner.caller,
    graded.flatMap(({ feedback }) => (feedback ? [feedback] : [])),
  );
  await record([predictCall(), ...graded.map(({ call }) => call), trialCall()]);
  return stored;

  async function grade(scorer: CriterionScorer) {
    const found: Graded[] = [];
    const namespaces = { item: row.item, sample: sample.variables };
    const applied = scorerForRow(scorer, namespaces, graders, (result, of) => {
      found.push({ result, isError: of instanceof GradeError });
    });
    const scored = { row: trial.row, output: sample.output, texts: { row: trial.rowText, output } };
    const place = {
      callId: derivedId(id, `score/${scorer.key}`),
      feedbackId: derivedId(id, `feedback/${scorer.key}`),
      traceId: run.id,
      parentId: id,
      opName: run.opRefs[scoreOp(scorer)]!,
      attributes: { ...childAttributes, weave: scoreMarks(scorer) },
      scoredCallId: predictId,
      triggerRef: null,
    };
    const recorded = await scoreOnce(applied, scored, place, owner, signal);
    const { usage } = JSON.parse(recorded.call.summary) as { usage?: Record<string, object> };
    const graded = found[0] ?? { result: failedResult(scorer, recorded.call.exception), isError: true };
    return { ...recorded, ...graded, key: scorer.key, usage: usage ?? {} };
  }

  function scoreMarks(scorer: CriterionScorer) {
    return { kind: 'scorer', score: 'true', prediction_id: predictId, scorer: scorer.ref, evaluation_run_id: run.id };
  }

  function predictCall(): Call {
    return {
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
  }

  function trialCall(): Call {
    return {
      id,
      traceId: run.id,
      parentId: run.id,
      opName: run.opRefs[evaluationOps.predictAndScore]!,
      startedAt,
      endedAt: nowMicroseconds(),
      attributes: toJson({ ...childAttributes, weave: { predict_call_id: predictId }, openai_eval: stored }),
      inputs: toJson({
        self: setup.evaluationRef,
        model: setup.model.ref,
        example: `${setup.dataset.ref}/attr/rows/id/${trial.rowDigest}`,
      }),
      output: toJson({
        output,
        scores: Object.fromEntries(scores),
        model_latency: (answeredAt - startedAt) / 1e6,
      }),
      summary: '{}',
    };
  }

  async function record(calls: Call[]): Promise<void> {
    const parts = calls.map(async (call) => ({
      projectId: owner.project.id,
      id: call.id,
      part: await services.calls.makeComplete(call, owner.caller.userId),
    }));
    await services.calls.record(await Promise.all(parts));
  }
}

/** A failure of the model that graded, which says nothing of the output. */
function failedResult({ criterion }: CriterionScorer, exception: string | null | undefined): CriterionResult {
  const error = { code: 'other_error', message: exception ?? 'The grader failed.' };
  return { name: criterion.id, type: criterion.type, score: 0, passed: false, sample: { error } };
}

type Graded = { result: CriterionResult; isError: boolean };

function statusOf({ shown }: RowSample, graded: Graded[]): StoredItem['status'] {
  if (shown.error || graded.some(({ isError }) => isError)) return 'error';
  return graded.every(({ result }) => result.passed) ? 'pass' : 'fail';
}
