import { newId } from '../../contract/ids.ts';
import { evaluationOf, evaluationOps, isTrial } from '../../domain/evaluations/marks.ts';
import { openMeans } from '../../domain/evaluations/means.ts';
import type { Page } from '../../domain/query/page.ts';
import type { JsonText } from '../../util/json/json-text.ts';
import { toJson } from '../../util/json/write.ts';
import { nowMicroseconds } from '../../util/timestamp.ts';
import type { AnsweredCall } from '../calls/answered-call.ts';
import type { Calls } from '../calls/calls.ts';
import type { Owner } from '../owner.ts';
import type { EvaluationCalls } from './evaluation-calls.ts';

type NewRun = { evaluation: string; model: string; sourceRunId: string | null };
type RunsQuery = Page & { evaluations: string[] | null; models: string[] | null; ids: string[] | null };

/** Runs of evaluations that a client creates step by step: calls of `Evaluation.evaluate`, as the SDKs write them. */
export type EvaluationRuns = {
  /** @returns its id */
  start(run: NewRun, owner: Owner, makeId: () => string): Promise<string>;
  /** Ends a run with its summary; a run that has already ended does not change. @throws Failure */
  finish(id: string, summary: JsonText | null, owner: Owner): Promise<void>;
  /** For any call. @throws Failure */
  find(id: string, owner: Owner): Promise<AnsweredCall>;
  /** Runs that clients created step by step; for a given evaluation, model or id, also the runs of SDKs. */
  list(query: RunsQuery, owner: Owner): Promise<AsyncIterable<AnsweredCall[]>>;
};

export function openRuns({ calls }: { calls: Calls }, evaluationCalls: EvaluationCalls): EvaluationRuns {
  const { mustFind, childrenOf, list, listRuns, opRefs } = evaluationCalls;
  const find: EvaluationRuns['find'] = (id, owner) => mustFind('Evaluation run', id, owner);
  return {
    async start({ evaluation, model, sourceRunId }, owner, makeId) {
      const { [evaluationOps.evaluate]: opName } = await opRefs(owner, evaluationOps.evaluate);
      const id = makeId();
      const source_evaluation_run_id = sourceRunId ?? undefined;
      const start = {
        id,
        traceId: id,
        opName: opName!,
        startedAt: nowMicroseconds(),
        attributes: toJson({ weave: { evaluation_run: 'true', evaluation, model, source_evaluation_run_id } }),
        inputs: toJson({ self: evaluation, model }),
      };
      const part = await calls.makeStart(start, owner.caller.userId);
      await calls.record([{ projectId: owner.project.id, id, part }]);
      return id;
    },

    async finish(id, summary, owner) {
      const { call } = await find(id, owner);
      if (call.endedAt !== null) return;
      const means = openMeans();
      for await (const child of childrenOf(id, owner, ['op_name', 'output']))
        if (isTrial(child)) means.add(child.output);
      const output = toJson(means.result());
      const endedAt = nowMicroseconds();
      const summarize = {
        id: newId(),
        traceId: call.traceId,
        parentId: id,
        opName: evaluationOps.summarize,
        startedAt: endedAt,
        endedAt,
        attributes: '{}',
        summary: '{}',
        output,
        inputs: toJson({ self: evaluationOf(call) }),
      };
      const end = { id, endedAt, output, summary: summary?.text ?? '{}' };
      const projectId = owner.project.id;
      await calls.record([
        { projectId, id: summarize.id, part: await calls.makeComplete(summarize, owner.caller.userId) },
        { projectId, id, part: await calls.makeEnd(end) },
      ]);
    },

    find,

    list({ evaluations, models, ids, ...page }, owner) {
      const isNamed = [evaluations, models, ids].some((names) => names?.length);
      return isNamed
        ? listRuns({ evaluations, models, ids, ...page }, owner)
        : list({ evaluation_run: ['true'] }, page, owner);
    },
  };
}
