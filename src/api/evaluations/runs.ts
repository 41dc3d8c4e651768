import type { Context } from '../../context.ts';
import { runEndpoints } from '../../contract/evaluations/endpoints.ts';
import { callJson } from '../../domain/calls/call-json.ts';
import { idMaker } from '../../domain/calls/ids.ts';
import { evaluationOf, modelOf, readMarks } from '../../domain/evaluations/marks.ts';
import { membersOf } from '../../domain/resources/values.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import type { AnsweredCall } from '../../services/calls/query-calls.ts';
import { toJson } from '../../util/json/write.ts';
import { formatTimestamp } from '../../util/timestamp.ts';
import { linesOf, ownerForRead, ownerForWrite } from './owner.ts';

export function runRoutes(context: Pick<Context, 'identity' | 'services'>): Route[] {
  const { calls, evaluations } = context.services;
  const { runs } = evaluations;
  return routesOf(runEndpoints, {
    async evaluationRunCreate(input) {
      const { source_evaluation_run_id: sourceRunId, ...run } = input.body;
      const owner = await ownerForWrite(context, input);
      return { evaluation_run_id: await runs.start({ ...run, sourceRunId }, owner, idMaker(input.retryId)) };
    },
    async evaluationRunRead(input) {
      const owner = await ownerForRead(context, input);
      const found = await runs.find(input.params.evaluation_run_id, owner);
      const { call } = found;
      return {
        ...runAnswer(found, owner.project.name),
        evaluation: evaluationOf(call),
        model: modelOf(call),
        source_evaluation_run_id: readMarks(call)('source_evaluation_run_id'),
      };
    },
    async evaluationRunList(input) {
      const { evaluation_run_ids: ids, ...query } = input.query;
      const owner = await ownerForRead(context, input);
      const pages = await runs.list({ ...query, ids }, owner);
      return linesOf(pages, (found) => toJson(runAnswer(found, owner.project.name)));
    },
    async evaluationRunFinish(input) {
      const owner = await ownerForRead(context, input);
      await runs.finish(input.params.evaluation_run_id, input.body.summary, owner);
      return { success: true };
    },
    async evaluationRunDelete(input) {
      const { project } = await ownerForRead(context, input);
      return { num_deleted: await calls.delete(project.id, input.query.evaluation_run_ids) };
    },
  });
}

const statuses = { running: 'running', success: 'completed', error: 'failed', descendant_error: 'completed' } as const;

/** A run as lists show it. */
function runAnswer({ call, extras }: AnsweredCall, projectName: string) {
  const mark = readMarks(call);
  return {
    evaluation_run_id: call.id,
    evaluation: mark('evaluation') ?? '',
    model: mark('model') ?? '',
    status: statuses[call.status],
    started_at: formatTimestamp(call.startedAt),
    finished_at: call.endedAt === null ? null : formatTimestamp(call.endedAt),
    summary: membersOf(callJson(call, projectName, null, undefined, extras)).summary,
    source_evaluation_run_id: null,
  };
}
