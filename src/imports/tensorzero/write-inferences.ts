import type { NewEnd, NewStart } from '../../domain/calls/new-call.ts';
import { Failure, isRefusal } from '../../util/failures.ts';
import type { Import, TableRow } from './import.ts';
import { callOfInference, callOfModelInference } from './inference-rows.ts';
import { countsOf, refuse } from './report.ts';

type Made = { row: TableRow; call: NewStart & NewEnd };

/** Writes rows of inferences as calls with the same ids, and reads back which there are. */
export async function writeInferences(work: Import, rows: TableRow[]): Promise<void> {
  const { report, owner, services } = work;
  const { project, caller } = owner;
  const made = new Map<string, Made>();
  const converted = await Promise.allSettled(rows.map(async (row) => callOf(work, row)));
  for (const [index, outcome] of converted.entries()) {
    const row = rows[index]!;
    const counts = countsOf(report, row.table);
    counts.rows++;
    if (outcome.status === 'rejected') {
      if (!isRefusal(outcome.reason)) throw outcome.reason;
      refuse(report, `${row.place}: ${outcome.reason.message}`, row.table);
    } else if (made.has(outcome.value.id)) counts.outdated++;
    else made.set(outcome.value.id, { row, call: outcome.value });
  }
  const known = await idsOf(work, [...made.keys()]);
  const wanted = [...made.values()].filter(({ call }) => !known.has(call.id));
  const outcomes = await services.calls.recordEach(wanted, async ({ call }) => ({
    ...{ projectId: project.id, id: call.id },
    part: await services.calls.makeComplete(call, caller.userId),
  }));
  for (const [index, outcome] of outcomes.entries()) {
    const { row, call } = wanted[index]!;
    if (outcome instanceof Failure) {
      refuse(report, `${row.place}: ${outcome.message}`, row.table);
      made.delete(call.id);
    } else countsOf(report, row.table).added++;
  }
  const stored = await idsOf(work, [...made.keys()]);
  for (const [id, { row }] of made) {
    if (known.has(id)) countsOf(report, row.table).known++;
    if (stored.has(id)) countsOf(report, row.table).stored++;
  }
}

function callOf(
  { owner, render }: Import,
  { table, columns }: TableRow,
): Promise<NewStart & NewEnd> | (NewStart & NewEnd) {
  return table === 'ModelInference'
    ? callOfModelInference(columns)
    : callOfInference(columns, owner.project.name, render);
}

async function idsOf({ services, owner }: Import, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const found = await services.calls.find(ids, { project: owner.project, columns: new Set(['id'] as const) });
  return new Set(found.map(({ call }) => call.id));
}
