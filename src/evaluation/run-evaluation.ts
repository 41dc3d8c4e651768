import type { Owner } from '../services/owner.ts';
import { notFound } from '../util/failures.ts';
import { forEachAtOnce } from '../util/for-each-at-once.ts';
import { endedTrials, findRun, recordEnd, recordStart, trialCallId, trialsOf } from './record-run.ts';
import { type EvaluationRun, opsOf, runTrial } from './run-trial.ts';
import { type EvaluationDeps, readEvaluation } from './setup.ts';

export type EvaluationRequest = { runId: string; owner: Owner; evaluation: string; model: string };

export type RunOptions = {
  signal: AbortSignal;
  report(progress: { done: number; total: number }): void;
  /** Call it before something is recorded. @throws if another process has taken the run */
  assertHeld(): Promise<void>;
};

/** Trials of one evaluation that run at once. */
const trialsAtOnce = 8;
/** How often a running evaluation looks whether it was deleted. */
const deletionCheckMs = 5000;

/**
 * Runs an evaluation as `Evaluation.evaluate` of the Python SDK does, and records the same calls. If it was interrupted,
 * it continues with what is not recorded yet.
 * @throws Failure if it cannot be run
 */
export async function runEvaluation(
  deps: EvaluationDeps,
  request: EvaluationRequest,
  options: RunOptions,
): Promise<void> {
  const { runId, owner } = request;
  const before = await findRun(deps, request);
  if (before !== null && before.endedAt !== null) return;
  const setup = await readEvaluation(deps, request, owner);
  const opRefs = await deps.services.evaluations.opRefs(owner, ...opsOf(setup));
  const run: EvaluationRun = { id: runId, owner, setup, opRefs };
  await options.assertHeld();
  if (before === null) await recordStart(deps, run);

  const done = before === null ? new Set<string>() : await endedTrials(deps, run);
  const total = (await deps.services.tables.count(setup.dataset.table)) * setup.trials;
  options.report({ done: done.size, total });
  let checkedAt = performance.now();
  await forEachAtOnce(trialsOf(deps, run), trialsAtOnce, options.signal, async (trial, signal) => {
    const id = trialCallId(runId, trial);
    if (done.has(id)) return;
    await options.assertHeld();
    await runTrial(deps, run, trial, { signal, mayExist: before !== null });
    done.add(id);
    options.report({ done: done.size, total });
    if (performance.now() - checkedAt < deletionCheckMs) return;
    checkedAt = performance.now();
    if ((await findRun(deps, request)) === null) throw notFound('The evaluation was deleted.');
  });
  await options.assertHeld();
  await recordEnd(deps, run);
}
