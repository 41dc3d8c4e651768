import { derivedId } from '../domain/calls/ids.ts';
import { evaluationOps, isTrial } from '../domain/evaluations/marks.ts';
import { memorableName } from '../domain/evaluations/memorable-name.ts';
import type { Owner } from '../services/owner.ts';
import { JsonText } from '../util/json/json-text.ts';
import { isObject } from '../util/json/own-member.ts';
import { parseJson } from '../util/json/parse.ts';
import { toJson } from '../util/json/write.ts';
import { nowMicroseconds } from '../util/timestamp.ts';
import type { RecordedRun } from './recorded-run.ts';
import type { EvaluationDeps } from './setup.ts';
import { summarizeRun } from './summarize-run.ts';

type Deps = Pick<EvaluationDeps, 'services'>;

/** One attempt at one row. */
export type TrialInput = {
  rowIndex: number;
  trialIndex: number;
  rowDigest: string;
  /** May contain `JsonText`, where JavaScript would change the digits of a number. */
  row: Record<string, unknown>;
  rowText: JsonText;
};

/** The id of the call of a trial. Ids are derived from the run, so that a trial is recorded once however often it runs. */
export function trialCallId(
  runId: string,
  { rowIndex, trialIndex }: Pick<TrialInput, 'rowIndex' | 'trialIndex'>,
): string {
  return derivedId(runId, `${rowIndex}/${trialIndex}`);
}

export async function recordStart({ services }: Deps, { id, owner, setup, opRefs, times }: RecordedRun): Promise<void> {
  const { evaluationRef: evaluation, model, runName: name } = setup;
  const start = startOf(
    id,
    { evaluation, model: model.ref, opName: opRefs[evaluationOps.evaluate]!, name },
    times?.startedAt,
  );
  const part = await services.calls.makeStart(start, owner.caller.userId);
  await services.calls.record([{ projectId: owner.project.id, id, part }]);
}

/** Summarizes the recorded trials, as a call of its own and as the output of the run. */
export async function recordEnd({ services }: Deps, { id, owner, setup, opRefs, times }: RecordedRun): Promise<void> {
  const output = toJson(await summarizeRun({ services }, { id, owner, setup }));
  const endedAt = times?.endedAt ?? nowMicroseconds();
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

/** Ends a run that cannot be run, even if it has not started. */
export async function recordFailure(
  { services }: Deps,
  { runId, owner, evaluation, model }: { runId: string; owner: Owner; evaluation: string; model: string },
  exception: string,
): Promise<void> {
  const { [evaluationOps.evaluate]: opName } = await services.evaluations.opRefs(owner, evaluationOps.evaluate);
  const before = await findRun({ services }, { runId, owner });
  if (before !== null) return recordException({ services }, { runId, owner }, exception);
  const start = startOf(runId, { evaluation, model, opName: opName!, name: null });
  const call = { ...start, endedAt: nowMicroseconds(), exception, summary: '{}' };
  const part = await services.calls.makeComplete(call, owner.caller.userId);
  await services.calls.record([{ projectId: owner.project.id, id: runId, part }]);
}

/** Ends a run that has started, with the reason. */
export async function recordException(
  { services }: Deps,
  { runId, owner }: { runId: string; owner: Owner },
  exception: string,
): Promise<void> {
  const end = { id: runId, endedAt: nowMicroseconds(), exception, summary: '{}' };
  await services.calls.record([{ projectId: owner.project.id, id: runId, part: await services.calls.makeEnd(end) }]);
}

/** The root call of a run; null if it is not recorded, or was deleted. */
export async function findRun({ services }: Deps, { runId, owner }: { runId: string; owner: Owner }) {
  const [found] = await services.calls.find([runId], { project: owner.project });
  return found?.call ?? null;
}

/** The calls of trials that are recorded whole. */
export async function endedTrials({ services }: Deps, { id, owner }: RecordedRun): Promise<Set<string>> {
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

/** The trials of a run, row by row. */
export async function* trialsOf({ services }: Deps, { owner, setup }: RecordedRun): AsyncGenerator<TrialInput> {
  let rowIndex = 0;
  for await (const rows of services.tables.rows(setup.dataset.table, owner.caller)) {
    for (const { digest: rowDigest, text } of rows) {
      const given = rowOf(text);
      for (let trialIndex = 0; trialIndex < setup.trials; trialIndex++)
        yield { rowIndex, trialIndex, rowDigest, ...given };
      rowIndex++;
    }
  }
}

/** A row of a dataset as models and scorers get it. */
export function rowOf(text: string): Pick<TrialInput, 'row' | 'rowText'> {
  const parsed = parseJson(text, { keepsDigits: true });
  const row = isObject(parsed) ? parsed : { value: parsed };
  return { row, rowText: new JsonText(isObject(parsed) ? text : toJson(row)) };
}

function startOf(
  id: string,
  { evaluation, model, opName, name }: { evaluation: string; model: string; opName: string; name: string | null },
  startedAt = nowMicroseconds(),
) {
  return {
    id,
    traceId: id,
    opName,
    displayName: name ?? memorableName(id, new Date()),
    startedAt,
    attributes: toJson({
      _weave_eval_meta: { evaluate_model_worker: true },
      weave: { evaluation_run: 'true', evaluation, model },
    }),
    inputs: toJson({ self: evaluation, model }),
  };
}
