import type { FoundCall } from '../../domain/calls/found-call.ts';
import { evaluationOps, opLabel } from '../../domain/evaluations/marks.ts';
import { membersOf, stringAt } from '../../domain/resources/values.ts';
import type { Project } from '../../services/owner.ts';
import type { Services } from '../../services/services.ts';
import type { Monitor } from './monitor.ts';

/** Those of these calls that a monitor watches. Calls of evaluations and of scorers are left out. */
export async function matchingCalls(
  { calls }: Pick<Services, 'calls'>,
  project: Project,
  { opNames, query }: Pick<Monitor, 'opNames' | 'query'>,
  ids: string[],
): Promise<string[]> {
  const filter = { call_ids: ids, ...(opNames.length > 0 ? { op_names: opNames } : {}) };
  const columns = new Set(['op_name', 'attributes'] as const);
  const pages = await calls.query({ project, filter, query, columns });
  const found: string[] = [];
  for await (const page of pages) for (const { call } of page) if (!isOwn(call)) found.push(call.id);
  return found;
}

/** Whether a call belongs to an evaluation, or is that of a scorer, which would be scored again and again. */
function isOwn(call: Pick<FoundCall, 'opName' | 'attributes'>): boolean {
  const attributes = membersOf(call.attributes);
  const weave = membersOf(attributes.weave ?? null);
  return (
    Object.hasOwn(attributes, '_weave_eval_meta') ||
    Object.values(evaluationOps).includes(opLabel(call.opName)) ||
    stringAt(weave, 'score') === 'true' ||
    stringAt(weave, 'kind') === 'scorer' ||
    stringAt(weave, 'evaluation_run_id') !== null
  );
}
