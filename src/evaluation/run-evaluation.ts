import { derivedId } from '../domain/calls/ids.ts';
import { AutoSummary } from '../domain/evaluations/auto-summary.ts';
import { evaluationOps, isTrial } from '../domain/evaluations/marks.ts';
import { memorableName } from '../domain/evaluations/memorable-name.ts';
import type { Owner } from '../services/owner.ts';
import { notFound } from '../util/failures.ts';
import { forEachAtOnce } from '../util/for-each-at-once.ts';
import { JsonText } from '../util/json/json-text.ts';
import { isObject } from '../util/json/own-member.ts';
import { toJson } from '../util/json/write.ts';
import { nowMicroseconds } from '../util/timestamp.ts';
import { opsOf, type Run, runTrial, type Trial, trialCallId } from './run-trial.ts';
import { type EvaluationDeps, readEvaluation } from './setup.ts';

export type EvaluationRequest = { runId: string; owner: Owner; evaluation: string; model: string };

type Options = { signal: AbortSignal; report(progress: { done: number; total: number }): void };

/** Trials of one evaluation that run at once. */
const trialsAtOnce = 8;
/** How often a running evaluation looks whether it was deleted. */
const deletionCheckMs = 5000;

/**
 * Runs an evaluation as `Evaluation.evaluate` of the Python SDK does, and records the same calls. If it was interrupted,
 * it continues with what is not recorded yet.
 * @throws Failure if it cannot be run
 */
export async function runEvaluation(deps: EvaluationDeps, request: EvaluationRequest, options: Options): Promise<void> {
  const { runId, owner } = request;
  const before = await findRun(deps, request);
  if (before !== null && before.endedAt !== null) return;
  const setup = await readEvaluation(deps, request, owner);
  const opRefs = await deps.services.evaluations.opRefs(owner, ...opsOf(setup));
  const run: Run = { id: runId, owner, setup, opRefs };
  if (before === null) await recordStart(deps, run);

  const done = before === null ? new Set<string>() : await endedTrials(deps, run);
  const total = (await deps.services.tables.count(setup.dataset.table)) * setup.trials;
  options.report({ done: done.size, total });
  let checkedAt = performance.now();
  await forEachAtOnce(trialsOf(deps, run), trialsAtOnce, options.signal, async (trial, signal) => {
    const id = trialCallId(runId, trial);
    if (done.has(id)) return;
    await runTrial(deps, run, trial, { signal, mayExist: before !== null });
    done.add(id);
    options.report({ done: done.size, total });
    if (performance.now() - checkedAt < deletionCheckMs) return;
    checkedAt = performance.now();
    if ((await findRun(deps, request)) === null) throw notFound('The evaluation was deleted.');
  });
  await recordEnd(deps, run);
}

/** Ends a run that cannot be run, even if it has not started. */
export async function failEvaluation(
  { services }: Pick<EvaluationDeps, 'services'>,
  { runId, owner, evaluation, model }: EvaluationRequest,
  exception: string,
): Promise<void> {
  const { [evaluationOps.evaluate]: opName } = await services.evaluations.opRefs(owner, evaluationOps.evaluate);
  const before = await findRun({ services }, { runId, owner });
  const now = nowMicroseconds();
  const end = { endedAt: now, exception, summary: '{}' };
  const part =
    before === null
      ? services.calls.makeComplete(
          { ...startOf(runId, { evaluation, model, opName: opName!, name: null }), ...end },
          owner.caller.userId,
        )
      : services.calls.makeEnd({ id: runId, ...end });
  await services.calls.record([{ projectId: owner.project.id, id: runId, part: await part }]);
}

async function findRun(
  { services }: Pick<EvaluationDeps, 'services'>,
  { runId, owner }: Pick<EvaluationRequest, 'runId' | 'owner'>,
) {
  const [found] = await services.calls.find([runId], { project: owner.project });
  return found?.call ?? null;
}

function startOf(
  id: string,
  { evaluation, model, opName, name }: { evaluation: string; model: string; opName: string; name: string | null },
) {
  return {
    id,
    traceId: id,
    opName,
    displayName: name ?? memorableName(id, new Date()),
    startedAt: nowMicroseconds(),
    attributes: toJson({
      _weave_eval_meta: { evaluate_model_worker: true },
      weave: { evaluation_run: 'true', evaluation, model },
    }),
    inputs: toJson({ self: evaluation, model }),
  };
}

async function recordStart({ services }: EvaluationDeps, { id, owner, setup, opRefs }: Run): Promise<void> {
  const { evaluationRef: evaluation, model, runName: name } = setup;
  const start = startOf(id, { evaluation, model: model.ref, opName: opRefs[evaluationOps.evaluate]!, name });
  const part = await services.calls.makeStart(start, owner.caller.userId);
  await services.calls.record([{ projectId: owner.project.id, id, part }]);
}

/** The calls of trials that are recorded whole. */
async function endedTrials({ services }: EvaluationDeps, { id, owner }: Run): Promise<Set<string>> {
  const pages = await services.calls.query({
    project: owner.project,
    filter: { parent_ids: [id] },
    columns: new Set(['op_name', 'ended_at'] as const),
  });
  const ended = new Set<string>();
  for await (const page of pages)
    for (const { call } of page) if (call.endedAt !== null && isTrial(call)) ended.add(call.id);
  return ended;
}

async function* trialsOf({ services }: EvaluationDeps, { owner, setup }: Run): AsyncGenerator<Trial> {
  let rowIndex = 0;
  for await (const rows of services.tables.rows(setup.dataset.table, owner.caller)) {
    for (const { digest: rowDigest, text } of rows) {
      const parsed: unknown = JSON.parse(text);
      const row = isObject(parsed) ? parsed : { value: parsed };
      const rowText = new JsonText(isObject(parsed) ? text : toJson(row));
      for (let trialIndex = 0; trialIndex < setup.trials; trialIndex++)
        yield { rowIndex, trialIndex, rowDigest, row, rowText };
      rowIndex++;
    }
  }
}

/** Summarizes the recorded trials, as a call of its own and as the output of the run. */
async function recordEnd({ services }: EvaluationDeps, { id, owner, setup, opRefs }: Run): Promise<void> {
  const output = toJson(await summarize({ services }, { id, owner, setup }));
  const endedAt = nowMicroseconds();
  const summarizeCall = {
    id: derivedId(id, 'summarize'),
    traceId: id,
    parentId: id,
    opName: opRefs[evaluationOps.summarize]!,
    startedAt: endedAt,
    endedAt,
    attributes: toJson({ _weave_eval_meta: { evaluate_model_worker: true, declarative: true } }),
    inputs: toJson({ self: setup.evaluationRef }),
    output,
    summary: '{}',
  };
  const projectId = owner.project.id;
  await services.calls.record([
    { projectId, id: summarizeCall.id, part: await services.calls.makeComplete(summarizeCall, owner.caller.userId) },
    { projectId, id, part: await services.calls.makeEnd({ id, endedAt, output, summary: '{}' }) },
  ]);
}

async function summarize(
  { services }: Pick<EvaluationDeps, 'services'>,
  { id, owner, setup }: Pick<Run, 'id' | 'owner' | 'setup'>,
): Promise<Record<string, unknown>> {
  const outputs = new AutoSummary();
  const latencies = new AutoSummary();
  const scores = new Map(setup.scorers.map(({ key }) => [key, { summary: new AutoSummary(), unscored: 0 }]));
  const pages = await services.calls.query({
    project: owner.project,
    filter: { parent_ids: [id] },
    columns: new Set(['op_name', 'output'] as const),
  });
  for await (const page of pages) {
    for (const { call } of page) {
      if (!isTrial(call)) continue;
      const trial = JSON.parse(call.output) as {
        output: unknown;
        scores: Record<string, unknown>;
        model_latency: number;
      };
      outputs.add(trial.output);
      latencies.add(trial.model_latency);
      for (const [key, score] of scores) {
        if (Object.hasOwn(trial.scores, key)) score.summary.add(trial.scores[key]);
        else score.unscored++;
      }
    }
  }
  const output = outputs.result();
  const model_latency = latencies.result();
  return {
    ...(output ? { output } : {}),
    ...Object.fromEntries([...scores].map(([key, { summary, unscored }]) => [key, summary.result(unscored)])),
    ...(model_latency ? { model_latency } : {}),
  };
}
