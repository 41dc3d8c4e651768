import type { DataSource } from '../../contract/openai-eval-runs/data-source.ts';
import { GradeError } from '../../domain/graders/grade-error.ts';
import { itemIdOf, type StoredItem } from '../../domain/openai-evals/stored-item.ts';
import { sumUsage } from '../../domain/usage/sum-usage.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { parsePlain } from '../../util/json/parse.ts';
import { toJson } from '../../util/json/write.ts';
import { nowMicroseconds } from '../../util/timestamp.ts';
import type { Graders } from '../graders/graders.ts';
import { type TrialInput, trialCallId } from '../record-run.ts';
import type { RecordedRun } from '../recorded-run.ts';
import { scoreOnce } from '../score-once.ts';
import type { EvaluationDeps } from '../setup.ts';
import { type CriterionResult, type CriterionScorer, scorerForRow } from './criterion-scorers.ts';
import { recordRow, scorePlace } from './record-row.ts';
import { type RowSample, rowOf, sampleRow } from './sample-row.ts';

/** A run of an eval. */
export type EvalRun = RecordedRun & { scorers: CriterionScorer[]; source: DataSource };

type Deps = Pick<EvaluationDeps, 'services'> & { graders: Graders };

/**
 * Gets the output for a row, grades it, and records both as a trial.
 * @throws Failure if the run cannot go on
 */
export async function runRow(deps: Deps, run: EvalRun, trial: TrialInput, signal: AbortSignal): Promise<StoredItem> {
  const { services, graders } = deps;
  const { owner } = run;
  const startedAt = nowMicroseconds();
  const row = rowOf(trial.row);
  const sample = await sampleRow(row, run.source, { completions: services.completions, owner, signal });
  const answeredAt = nowMicroseconds();
  const output = new JsonText(toJson(sample.output ?? null));
  const graded = sample.shown.error ? [] : await Promise.all(run.scorers.map(grade));
  const stored: StoredItem = {
    id: itemIdOf(trialCallId(run.id, trial)),
    index: trial.rowIndex,
    status: statusOf(sample, graded),
    results: graded.map(({ result }) => result),
    sample: sample.shown,
    usage: sumUsage([sample.usage, ...graded.map(({ usage }) => usage)]),
  };
  const answer = { ...sample, error: sample.shown.error };
  await recordRow(deps, run, trial, { sample: answer, scores: graded, stored, startedAt, answeredAt });
  return stored;

  async function grade(scorer: CriterionScorer) {
    const found: Graded[] = [];
    const namespaces = { item: row.item, sample: sample.variables };
    const applied = scorerForRow(scorer, namespaces, graders, (result, of) => {
      found.push({ result, isError: of instanceof GradeError });
    });
    const scored = { row: trial.row, output: sample.output, texts: { row: trial.rowText, output } };
    const recorded = await scoreOnce(applied, scored, scorePlace(run, trial, scorer), owner, signal);
    const { usage } = parsePlain(recorded.call.summary) as { usage?: Record<string, object> };
    const result = found[0] ?? { result: failedResult(scorer, recorded.call.exception), isError: true };
    return { ...recorded, ...result, key: scorer.key, usage: usage ?? {} };
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
