import type { AnswerColumn } from '../../domain/calls/columns.ts';
import type { FoundCall } from '../../domain/calls/found-call.ts';
import { isTrial, readMarks } from '../../domain/evaluations/marks.ts';
import type { Operand, Operation } from '../../domain/query/operation.ts';
import type { Page } from '../../domain/query/page.ts';
import type { Caller } from '../../identity/identity.ts';
import { notFound } from '../../util/failures.ts';
import type { Calls } from '../calls/calls.ts';
import type { AnsweredCall, Project } from '../calls/query-calls.ts';
import type { Ops } from '../spans/ops.ts';

/** In which project something is done, and for whom. */
export type Owner = { project: Project; caller: Caller };

/** What runs, predictions and scores share: they are calls that are found by their marks. */
export type EvaluationCalls = ReturnType<typeof openEvaluationCalls>;

export function openEvaluationCalls({ calls, ops }: { calls: Calls; ops: Ops }) {
  const findCall = async (id: string, { project }: Owner): Promise<AnsweredCall | null> =>
    (await calls.find([id], { project }))[0] ?? null;

  return {
    findCall,

    /** Any call by its id, whatever made it. @throws Failure that names it as `label` */
    async mustFind(label: string, id: string, owner: Owner): Promise<AnsweredCall> {
      const found = await findCall(id, owner);
      if (found === null) throw notFound(`${label} ${id} not found`);
      return found;
    },

    /** The calls right below another one. */
    async *childrenOf(id: string, { project }: Owner, columns: AnswerColumn[]): AsyncGenerator<FoundCall> {
      const pages = await calls.query({ project, filter: { parent_ids: [id] }, columns: new Set(columns) });
      for await (const page of pages) for (const { call } of page) yield call;
    },

    /** The run in which a prediction or score was made; null where there is none. */
    async runOf(call: FoundCall, owner: Owner): Promise<string | null> {
      const marked = readMarks(call)('evaluation_run_id');
      if (marked !== null || call.parentId === '') return marked;
      const parent = await findCall(call.parentId, owner);
      return parent && isTrial(parent.call) ? parent.call.parentId || null : null;
    },

    /** Calls that have all these marks, the oldest first. */
    list(marks: Marks, { ids = null, ...page }: Page & { ids?: string[] | null }, { project }: Owner) {
      const operands = Object.entries(marks).flatMap(([name, values]) =>
        values?.length ? [isMarked(name, values)] : [],
      );
      const filter = ids ? { call_ids: ids } : null;
      return calls.query({ project, query: { kind: 'and', operands }, filter, ...page });
    },

    /** The refs of these ops, which are made where they do not exist. */
    async opRefs<Name extends string>({ project, caller }: Owner, ...names: Name[]): Promise<Record<Name, string>> {
      const digests = await ops.ensure({ projectId: project.id, userId: caller.userId }, names);
      const refs = names.map((name) => [name, `weave:///${project.name}/op/${name}:${digests.get(name)}`]);
      return Object.fromEntries(refs) as Record<Name, string>;
    },
  };
}

/** Values of the attribute `weave`, of which a call has one; of a name without values anything is meant. */
type Marks = Record<string, string[] | null>;

function isMarked(name: string, values: string[]): Operation {
  const field: Operand = { kind: 'field', path: `attributes.weave.${name}` };
  const literals = values.map((value): Operand => ({ kind: 'literal', literal: { type: 'string', value } }));
  return literals.length === 1
    ? { kind: 'eq', left: field, right: literals[0]! }
    : { kind: 'in', operand: field, list: literals };
}
