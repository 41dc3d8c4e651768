import { evaluationOps, isTrial } from '../../domain/evaluations/marks.ts';
import { addItem, noResults, type RunResults } from '../../domain/openai-evals/results.ts';
import type { RunObjects } from '../../domain/openai-evals/run-objects.ts';
import { countedItem, type StoredItem } from '../../domain/openai-evals/stored-item.ts';
import { parseRef } from '../../domain/refs.ts';
import type { OpenRun } from '../../services/evaluations/openai-evals/runs.ts';
import type { Owner } from '../../services/owner.ts';
import type { Services } from '../../services/services.ts';
import { Failure, type FailureKind } from '../../util/failures.ts';
import { forEachAtOnce } from '../../util/for-each-at-once.ts';
import { ownMember } from '../../util/json/own-member.ts';
import { parsePlain } from '../../util/json/parse.ts';
import { findRun, recordEnd, recordException, recordStart, trialCallId, trialsOf } from '../record-run.ts';
import type { RunOptions } from '../run-evaluation.ts';
import { scoreOp } from '../run-trial.ts';
import type { EvaluationDeps } from '../setup.ts';
import { prepareRun, scorerKeys } from './prepare-run.ts';
import { sampleOp } from './record-row.ts';
import { type EvalRun, runRow } from './run-row.ts';

export type EvalDeps = EvaluationDeps & { services: Pick<Services, 'openaiEvals'> };

/** Rows of one run that are worked on at once: those that ask a model, and others. */
const rowsAtOnce = { asked: 8, recorded: 64 };
/** How often the results so far are stored. */
const storedEveryMs = 2000;

/**
 * Runs an eval: gets an output for each row and grades it. The calls are those of an evaluation. If it was interrupted,
 * it continues with the rows that are not recorded yet.
 * @throws Failure if it cannot be run
 */
export async function runOpenAIEval(
  deps: EvalDeps,
  callId: string,
  owner: Owner,
  { signal, report, assertHeld }: RunOptions,
): Promise<void> {
  const { runs } = deps.services.openaiEvals;
  const open = await runs.open(callId, owner);
  if (open === null || !(await runs.update(callId, { status: 'in_progress' }))) return; // canceled or deleted
  const objects = open.run.objects ?? (await prepareRun(deps, open, runs.rows(open), signal));
  await assertHeld();
  await runs.update(callId, { objects });
  const run = await evalRunOf(deps, open, objects);
  const before = await findRun(deps, { runId: callId, owner: open.owner });
  if (before === null) await recordStart(deps, run);

  const { done, results } = await recordedItems(deps, open, run);
  report({ done: done.size, total: objects.total });
  let storedAt = performance.now();
  await forEachAtOnce(
    trialsOf(deps, run),
    asksModels(open) ? rowsAtOnce.asked : rowsAtOnce.recorded,
    signal,
    async (trial, ownSignal) => {
      const id = trialCallId(callId, trial);
      if (done.has(id)) return;
      await assertHeld();
      addItem(results, countedItem(await runRow(deps, run, trial, ownSignal)));
      done.add(id);
      report({ done: done.size, total: objects.total });
      if (performance.now() - storedAt < storedEveryMs) return;
      storedAt = performance.now();
      await assertHeld();
      await runs.update(callId, { results });
    },
  );
  await assertHeld();
  if (before === null || before.endedAt === null) await recordEnd(deps, run);
  await assertHeld();
  await runs.update(callId, { status: 'completed', results });
}

/** Ends a run that cannot go on: with an error, or, without one, because it was canceled. */
export async function failOpenAIEval(deps: EvalDeps, callId: string, owner: Owner, error: unknown): Promise<void> {
  const { runs } = deps.services.openaiEvals;
  const message = error instanceof Error ? error.message : String(error);
  if (error !== null) await runs.update(callId, { status: 'failed', error: { code: codeOf(error), message } });
  const call = await findRun(deps, { runId: callId, owner });
  if (call === null || call.endedAt !== null) return;
  await recordException(deps, { runId: callId, owner }, error === null ? 'The run was canceled.' : message);
}

/** The kind of a failure, which a job passes on as the cause of its final error. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Failure ? (failureCodes[cause.kind] ?? 'failed') : 'failed';
}

const failureCodes: Partial<Record<FailureKind, string>> = {
  invalidInput: 'invalid_request',
  unacceptable: 'invalid_request',
  unsupported: 'invalid_request',
  tooLarge: 'invalid_request',
  notFound: 'not_found',
  forbidden: 'forbidden',
  noSpace: 'no_space',
};

function asksModels({ run, of }: OpenRun): boolean {
  return run.model !== '' || of.criteria.some(({ type }) => type !== 'string_check' && type !== 'text_similarity');
}

/** What the calls of a run refer to. */
export async function evalRunOf(
  deps: Pick<EvalDeps, 'services'>,
  { run, of, owner }: OpenRun,
  objects: RunObjects,
): Promise<EvalRun> {
  const keys = scorerKeys(of.criteria.map(({ name }) => name));
  const scorers = of.criteria.map((criterion, i) => {
    const ref = objects.scorers[i]!;
    const parsed = parseRef(ref);
    return { criterion, ref, key: keys[i]!, objectName: parsed?.kind === 'object' ? parsed.name : criterion.name };
  });
  const ops = [...Object.values(evaluationOps), sampleOp, ...scorers.map(scoreOp)];
  return {
    id: run.callId,
    owner,
    source: run.dataSource,
    scorers,
    setup: {
      evaluationRef: objects.evaluation,
      runName: run.name,
      dataset: { ref: objects.dataset, table: { projectId: owner.project.id, digest: objects.table } },
      trials: 1,
      model: { ref: objects.model },
      scorers,
    },
    opRefs: await deps.services.evaluations.opRefs(owner, ...ops),
  };
}

/** The rows that are recorded already, and what they come to. */
async function recordedItems(
  { services }: EvalDeps,
  { of }: OpenRun,
  { id, owner }: EvalRun,
): Promise<{ done: Set<string>; results: RunResults }> {
  const results = noResults(of.criteria.map((criterion) => criterion.id));
  const done = new Set<string>();
  const pages = await services.calls.query({
    project: owner.project,
    filter: { parent_ids: [id] },
    columns: new Set(['op_name', 'attributes'] as const),
  });
  for await (const page of pages) {
    for (const { call } of page) {
      const item = isTrial(call) ? ownMember(parsePlain(call.attributes), 'openai_eval') : undefined;
      if (item === undefined) continue;
      done.add(call.id);
      addItem(results, countedItem(item as StoredItem)); // as `runRow` wrote it
    }
  }
  return { done, results };
}
