import type { AnswerColumn } from '../../domain/calls/columns.ts';
import type { FoundCall } from '../../domain/calls/found-call.ts';
import { evaluationOps, isTrial, modelOf, readMarks } from '../../domain/evaluations/marks.ts';
import type { Operand, Operation } from '../../domain/query/operation.ts';
import { checkPage, type Page } from '../../domain/query/page.ts';
import { notFound } from '../../util/failures.ts';
import type { AnsweredCall } from '../calls/answered-call.ts';
import type { Calls } from '../calls/calls.ts';
import type { Deps } from '../deps.ts';
import type { Owner } from '../owner.ts';
import type { Ops } from '../spans/ops.ts';
import { readTrialParts } from './trial-parts.ts';

/** The run of a call, and its model, which not every call of a model names. */
export type RunOf = { runId: string | null; model: string };

/**
 * What runs, predictions and scores have in common: they are calls, found by their marks or by their position in a run.
 */
export type EvaluationCalls = ReturnType<typeof openEvaluationCalls>;

export function openEvaluationCalls(deps: Pick<Deps, 'clickhouse'>, { calls, ops }: { calls: Calls; ops: Ops }) {
  const findCall = async (id: string, { project }: Owner): Promise<AnsweredCall | null> =>
    (await calls.find([id], { project }))[0] ?? null;

  /** Calls with all of these marks, oldest first. */
  function list(marks: Marks, page: Page, { project }: Owner): Promise<AsyncIterable<AnsweredCall[]>> {
    const operands = Object.entries(marks).flatMap(([name, values]) =>
      values?.length ? [isMarked(name, values)] : [],
    );
    return calls.query({ project, query: { kind: 'and', operands }, ...page });
  }

  async function* unmarkedParts(
    kind: 'prediction' | 'score',
    run: FoundCall,
    { limit, offset }: Page,
    { project }: Owner,
  ): AsyncGenerator<(AnsweredCall & RunOf)[]> {
    const of = { runId: run.id, model: modelOf(run) };
    const parts = await readTrialParts(deps, { projectId: project.id, ...of });
    const start = offset ?? 0;
    const ids = (kind === 'prediction' ? parts.predictions : parts.scores).slice(
      start,
      limit === null ? undefined : start + limit,
    );
    for (let i = 0; i < ids.length; i += idsAtATime) {
      const pages = await calls.query({ project, filter: { call_ids: ids.slice(i, i + idsAtATime) } });
      for await (const page of pages) yield page.map((found) => ({ ...found, ...of }));
    }
  }

  return {
    findCall,

    /** Any call by its id, whatever created it. @throws Failure that calls it `label` */
    async mustFind(label: string, id: string, owner: Owner): Promise<AnsweredCall> {
      const found = await findCall(id, owner);
      if (found === null) throw notFound(`${label} ${id} not found`);
      return found;
    },

    /** The direct children of a call. */
    async *childrenOf(id: string, { project }: Owner, columns: AnswerColumn[]): AsyncGenerator<FoundCall> {
      const pages = await calls.query({ project, filter: { parent_ids: [id] }, columns: new Set(columns) });
      for await (const page of pages) for (const { call } of page) yield call;
    },

    /** The run of a prediction or score. */
    async runOf(call: FoundCall, owner: Owner): Promise<RunOf> {
      const runId = readMarks(call)('evaluation_run_id');
      if (runId !== null || call.parentId === '') return { runId, model: '' };
      const parent = await findCall(call.parentId, owner);
      if (!parent || !isTrial(parent.call)) return { runId: null, model: '' };
      return { runId: parent.call.parentId || null, model: modelOf(parent.call) };
    },

    list,

    /** Runs of these evaluations or models, or with these ids, whatever created them, oldest first. */
    listRuns(
      { evaluations, models, ids, ...page }: RunNames & Page,
      { project }: Owner,
    ): Promise<AsyncIterable<AnsweredCall[]>> {
      const op = evaluationOps.evaluate;
      const named = [
        ...(evaluations?.length
          ? [{ kind: 'or' as const, operands: [isIn('self', evaluations), isIn('this', evaluations)] }]
          : []),
        ...(models?.length ? [isIn('model', models)] : []),
      ];
      return calls.query({
        project,
        filter: { op_names: [op, `weave:///${project.name}/op/${op}:*`], ...(ids?.length ? { call_ids: ids } : {}) },
        query: named.length > 0 ? { kind: 'and', operands: named } : null,
        ...page,
      });
    },

    /**
     * Predictions or scores, of a run if one is given, oldest first. Those of an SDK's run are only found by the run.
     */
    async listParts(
      kind: 'prediction' | 'score',
      { runId, ...page }: Page & { runId: string | null },
      owner: Owner,
    ): Promise<AsyncIterable<(AnsweredCall & RunOf)[]>> {
      checkPage(page);
      const run = runId === null ? null : await findCall(runId, owner);
      if (run && readMarks(run.call)('evaluation_run') === null) return unmarkedParts(kind, run.call, page, owner);
      const pages = await list({ [kind]: ['true'], evaluation_run_id: runId === null ? null : [runId] }, page, owner);
      return withRuns(pages);
    },

    /** The refs of these ops, which are created if they do not exist. */
    async opRefs<Name extends string>({ project, caller }: Owner, ...names: Name[]): Promise<Record<Name, string>> {
      const digests = await ops.ensure({ projectId: project.id, userId: caller.userId }, names);
      const refs = names.map((name) => [name, `weave:///${project.name}/op/${name}:${digests.get(name)}`]);
      return Object.fromEntries(refs) as Record<Name, string>;
    },
  };
}

async function* withRuns(pages: AsyncIterable<AnsweredCall[]>): AsyncGenerator<(AnsweredCall & RunOf)[]> {
  for await (const page of pages) {
    yield page.map((found) => ({ ...found, runId: readMarks(found.call)('evaluation_run_id'), model: '' }));
  }
}

const idsAtATime = 1000;

/** A run matches if it names one of these refs, exactly as written. Without refs, every run matches. */
type RunNames = { evaluations: string[] | null; models: string[] | null; ids: string[] | null };

/**
 * A call matches if its attribute `weave` has one of the values for each name. A name without values matches every
 * call.
 */
type Marks = Record<string, string[] | null>;

function isMarked(name: string, values: string[]): Operation {
  return isOneOf(`attributes.weave.${name}`, values);
}

function isIn(input: string, values: string[]): Operation {
  return isOneOf(`inputs.${input}`, values);
}

function isOneOf(path: string, values: string[]): Operation {
  const field: Operand = { kind: 'field', path };
  const literals = values.map((value): Operand => ({ kind: 'literal', literal: { type: 'string', value } }));
  return literals.length === 1
    ? { kind: 'eq', left: field, right: literals[0]! }
    : { kind: 'in', operand: field, list: literals };
}
