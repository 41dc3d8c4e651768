import { z } from 'zod';
import { evalResultsQuery } from '../../contract/eval-results/query.ts';
import { newId } from '../../contract/ids.ts';
import type { ScorerStats } from '../../domain/evaluations/results/leaf.ts';
import type { Graders } from '../../evaluation/graders/graders.ts';
import type { Rules } from '../../evaluation/rules/rules.ts';
import { readEvaluation } from '../../evaluation/setup.ts';
import type { Identity } from '../../identity/identity.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { evaluateModel } from '../../jobs/tasks/evaluate-model.ts';
import { openPublisher } from '../../services/evaluations/publish.ts';
import type { Services } from '../../services/services.ts';
import { invalidInput, notFound } from '../../util/failures.ts';
import { parsePlain } from '../../util/json/parse.ts';
import { serverOwnerOf } from '../owner.ts';

type Parts = { identity: Identity; services: Services; jobs: Jobs };

const ofProject = z.object({ project: z.string() });

export const startParams = ofProject.extend({
  model: z.string(),
  /** For the name of a model that is not an object. */
  modelParams: z.record(z.string(), z.unknown()),
  evaluation: z.string().optional(),
  dataset: z.string().optional(),
  /** The rows of a new dataset, as JSON texts. */
  rows: z.array(z.string()).optional(),
  scorers: z.array(z.string()),
  trials: z.number().int().min(1),
  name: z.string().optional(),
  /** Scores that have a threshold. */
  thresholds: z.array(z.string()),
});

/** Starts an evaluation for the owner of the server, and publishes what it needs. @throws Failure if it cannot be run */
export async function startEvaluation(
  parts: Parts & { rules: Rules; graders: Graders },
  { project, ...wanted }: z.output<typeof startParams>,
) {
  const owner = await serverOwnerOf(parts, project, 'write');
  const publisher = openPublisher(parts.services, owner);
  const evaluation = await evaluationOf();
  const model = await publisher.model(wanted.model, wanted.modelParams);
  const setup = await readEvaluation(parts, { evaluation, model }, owner);
  const keys = setup.scorers.map(({ key }) => key);
  for (const score of wanted.thresholds) checkThreshold(score, keys);
  const callId = newId();
  const input = { project: owner.project.name, userId: owner.caller.userId, evaluation, model };
  await parts.jobs.add(evaluateModel, { id: callId, project: owner.project.id, input });
  return { callId, project: owner.project.name };

  async function evaluationOf(): Promise<string> {
    const { evaluation: named, dataset: of, rows, trials, name } = wanted;
    if (named !== undefined) return publisher.evaluation(named);
    if (of === undefined) throw invalidInput('Give an evaluation or a dataset.');
    const dataset = await publisher.dataset(of, rows ?? null);
    const scorers: string[] = [];
    for (const each of wanted.scorers) scorers.push(await publisher.scorer(each));
    return publisher.newEvaluation({ dataset, scorers, trials, name: name ?? null });
  }
}

/** A score is named by its scorer, and a member of it as in `judge.helpful`. */
function checkThreshold(score: string, keys: string[]): void {
  if (keys.some((key) => score === key || score.startsWith(`${key}.`))) return;
  throw invalidInput(`There is no scorer for the threshold of ${score}. Scorers: ${keys.join(', ') || 'none'}.`);
}

export const statusParams = ofProject.extend({ callId: z.string() });

/** While the job has not ended, its state is enough: clients ask several times per second. */
export async function evaluationStatus(parts: Parts, { project, callId }: z.output<typeof statusParams>) {
  const owner = await serverOwnerOf(parts, project, 'read');
  const job = await parts.jobs.find(evaluateModel, callId);
  if (job?.state === 'waiting' || job?.state === 'active') {
    return { code: 'running' as const, error: job.error, progress: job.progress, output: null };
  }
  const status = await parts.services.evaluations.status(callId, owner);
  const output = status.code === 'complete' ? (parsePlain(status.output.text) as Record<string, unknown>) : null;
  return {
    code: status.code,
    error: status.code === 'failed' ? status.error : (job?.error ?? null),
    progress: null,
    output,
  };
}

export const resultsParams = ofProject.extend({ callIds: z.array(z.string()) });

/** The summaries of evaluations, in the order asked for. @throws Failure if one of them has no trials */
export async function evaluationResults(parts: Parts, { project, callIds }: z.output<typeof resultsParams>) {
  const owner = await serverOwnerOf(parts, project, 'read');
  const query = evalResultsQuery.body!.parse({
    evaluation_call_ids: callIds,
    include_rows: false,
    include_summary: true,
    include_costs: true,
  });
  const { summary } = await parts.services.evaluations.results(query, owner);
  return callIds.map((callId) => {
    const found = summary!.evaluations.find(({ evaluationId }) => evaluationId === callId);
    if (!found) throw notFound(`${owner.project.name} has no evaluation ${callId} with trials.`);
    const { trialCount, tokens, cost, failures, root } = found;
    const scorers: ScorerStats[] = found.scorers;
    const [name, model] = [root?.displayName ?? '', root?.modelRef ?? ''];
    return { callId, name, model, trialCount, tokens, cost, scorers, failures };
  });
}

/** @returns whether it was still waiting or running */
export async function cancelEvaluation({ jobs }: Parts, { callId }: z.output<typeof statusParams>) {
  return { canceled: await jobs.cancel(evaluateModel, callId) };
}
