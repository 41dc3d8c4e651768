import { evaluationOf, evaluationOps, opLabel } from '../../domain/evaluations/marks.ts';
import type { Operand } from '../../domain/query/operation.ts';
import { parseRef } from '../../domain/refs.ts';
import { membersOf, stringAt } from '../../domain/resources/values.ts';
import { invalidInput } from '../../util/failures.ts';
import { JsonText } from '../../util/json/json-text.ts';
import type { Calls } from '../calls/calls.ts';
import type { Deps } from '../deps.ts';
import type { Owner } from '../owner.ts';
import { resolveRefs } from '../refs/resolve-refs.ts';
import { openTables } from '../tables/tables.ts';
import type { EvaluationCalls } from './evaluation-calls.ts';

/** Returns the progress of an evaluation, whether the server or an SDK runs it. */
export type EvaluationStatus =
  | { code: 'not_found' }
  | { code: 'running'; completedRows: number; totalRows: number }
  | { code: 'failed'; error: string }
  | { code: 'complete'; output: JsonText };

type Stores = Pick<Deps, 'clickhouse' | 'postgres' | 'inserter' | 'identity'>;

/** @throws Failure if the call is not an evaluation */
export async function evaluationStatus(
  stores: Stores,
  { calls, evaluationCalls }: { calls: Calls; evaluationCalls: EvaluationCalls },
  id: string,
  owner: Owner,
): Promise<EvaluationStatus> {
  const found = await evaluationCalls.findCall(id, owner);
  if (found === null) return { code: 'not_found' };
  const { call } = found;
  if (!opLabel(call.opName).includes(evaluationOps.evaluate)) throw invalidInput('Call is not an evaluation');
  if (call.exception !== '') return { code: 'failed', error: call.exception };
  if (call.endedAt !== null) {
    const output = new JsonText(call.output || 'null');
    return { code: 'complete', output: output.kind === 'object' ? output : new JsonText('{}') };
  }
  const sought = { project: owner.project, filter: { parent_ids: [id] }, query: hasEnded };
  const { count: completedRows } = await calls.count(sought);
  const rows = await rowCount(stores, evaluationOf(call), owner);
  return { code: 'running', completedRows, totalRows: Math.max(rows, completedRows) };
}

const endedAt: Operand = { kind: 'field', path: 'ended_at' };
const hasEnded = {
  kind: 'not',
  operand: { kind: 'eq', left: endedAt, right: { kind: 'literal', literal: { type: 'null' } } },
} as const;

/** The rows of the dataset of an evaluation; 0 if they cannot be found. */
async function rowCount(stores: Stores, evaluationRef: string, { caller }: Owner): Promise<number> {
  const refAt = async (ref: string, member: string) => {
    const value = (await resolveRefs(stores, caller, [ref])).get(ref);
    return (value && stringAt(membersOf(value), member)) || '';
  };
  const table = parseRef(await refAt(await refAt(evaluationRef, 'dataset'), 'rows'));
  if (table?.kind !== 'table') return 0;
  const projectId = await stores.identity.readableProject(caller, `${table.entity}/${table.project}`);
  return projectId === null ? 0 : openTables(stores).count({ projectId, digest: table.digest });
}
