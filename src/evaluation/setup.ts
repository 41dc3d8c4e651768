import { z } from 'zod';
import type { ProjectId } from '../contract/ids.ts';
import { parseRef } from '../domain/refs.ts';
import type { Identity } from '../identity/identity.ts';
import type { Owner } from '../services/owner.ts';
import type { Services } from '../services/services.ts';
import { describeFaults } from '../util/describe-faults.ts';
import { invalidInput } from '../util/failures.ts';
import type { Graders } from './graders/graders.ts';
import { type CompletionModel, readCompletionModel } from './models/completion-model.ts';
import { type ReadVersion, versionReader } from './read-version.ts';
import type { Rules } from './rules/rules.ts';
import { readScorer } from './scorers/read-scorer.ts';
import type { Scorer } from './scorers/scorer.ts';

/** The dependencies of evaluations. */
export type EvaluationDeps = {
  identity: Pick<Identity, 'projectForRead' | 'projectForWrite' | 'findCaller'>;
  services: Pick<Services, 'calls' | 'completions' | 'evaluations' | 'feedback' | 'objects' | 'refs' | 'tables'>;
  rules: Rules;
  graders: Graders;
};

/** An evaluation of a model, read from its objects. Refs name versions by digest. */
export type EvaluationSetup = {
  evaluationRef: string;
  /** The name that its author gave its runs. */
  runName: string | null;
  trials: number;
  dataset: { ref: string; table: { projectId: ProjectId; digest: string } };
  model: CompletionModel & { ref: string; className: string };
  scorers: Scorer[];
};

const evaluationSchema = z.object({
  dataset: z.string(),
  scorers: z.array(z.string()).nullish(),
  trials: z.number().int().min(1).max(1000).nullish(),
  evaluation_name: z.string().nullish().catch(null), // the SDK stores functions here too
  preprocess_model_input: z.unknown().optional(),
});

/** @throws Failure that says which object cannot be used, and why */
export async function readEvaluation(
  deps: EvaluationDeps,
  refs: { evaluation: string; model: string },
  owner: Owner,
): Promise<EvaluationSetup> {
  const readVersion = versionReader(deps, owner.caller);
  const evaluation = await readVersion(refs.evaluation);
  const parsed = evaluationSchema.safeParse(evaluation.value);
  if (!parsed.success) {
    throw invalidInput(`${refs.evaluation} is not an evaluation that can be run: ${describeFaults(parsed.error)}`);
  }
  const { dataset, scorers, trials, evaluation_name, preprocess_model_input } = parsed.data;
  if (preprocess_model_input !== null && preprocess_model_input !== undefined) {
    throw invalidInput(
      'The evaluation has a preprocess_model_input. Its code is Python, which the server does not run.',
    );
  }
  const context = { completions: deps.services.completions, rules: deps.rules, graders: deps.graders, readVersion };
  const setup: EvaluationSetup = {
    evaluationRef: evaluation.ref,
    runName: evaluation_name ?? null,
    trials: trials ?? 1,
    dataset: await readDataset(deps, dataset, readVersion, owner),
    model: await readModel(deps, refs.model, readVersion),
    scorers: await Promise.all((scorers ?? []).map((ref) => readScorer(ref, context))),
  };
  refuseSameKeys(setup.scorers);
  return setup;
}

async function readModel(
  deps: EvaluationDeps,
  uri: string,
  readVersion: ReadVersion,
): Promise<EvaluationSetup['model']> {
  const { ref, className, value } = await readVersion(uri);
  if (className !== 'LLMStructuredCompletionModel') {
    throw invalidInput(
      `The model ${ref} is of the Python class ${className || '(none)'}, which the server cannot run. Use an ` +
        'LLMStructuredCompletionModel, or run the evaluation with the SDK.',
    );
  }
  return { ref, className, ...readCompletionModel(value, deps.services.completions) };
}

async function readDataset(
  { identity }: EvaluationDeps,
  uri: string,
  readVersion: ReadVersion,
  { caller }: Owner,
): Promise<EvaluationSetup['dataset']> {
  const { ref, value } = await readVersion(uri);
  const rows = typeof value.rows === 'string' ? parseRef(value.rows) : null;
  if (rows?.kind !== 'table') throw invalidInput(`${ref} is not a dataset: its rows are not the ref of a table.`);
  const projectId = await identity.projectForRead(caller, `${rows.entity}/${rows.project}`);
  return { ref, table: { projectId, digest: rows.digest } };
}

/** Scores of two scorers with the same key could not be distinguished. */
function refuseSameKeys(scorers: Scorer[]): void {
  const keys = scorers.map(({ key }) => key);
  const repeated = keys.find((key, i) => keys.indexOf(key) !== i);
  if (repeated === undefined) return;
  throw invalidInput(`Two scorers of the evaluation are named ${repeated}. Give them different names.`);
}
