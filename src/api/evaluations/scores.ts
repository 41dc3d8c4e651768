import type { Context } from '../../context.ts';
import { scoreEndpoints } from '../../contract/evaluations/endpoints.ts';
import type { FoundCall } from '../../domain/calls/found-call.ts';
import { idMaker } from '../../domain/calls/ids.ts';
import { outputOf, readMarks } from '../../domain/evaluations/marks.ts';
import { membersOf, stringAt } from '../../domain/resources/values.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { toJson } from '../../util/json/write.ts';
import { linesOf, ownerForRead, ownerForWrite } from './owner.ts';

export function scoreRoutes(context: Pick<Context, 'identity' | 'services'>): Route[] {
  const { calls, evaluations } = context.services;
  const { scores } = evaluations;
  return routesOf(scoreEndpoints, {
    async scoreCreate(input) {
      const { prediction_id: predictionId, evaluation_run_id: runId, ...score } = input.body;
      const owner = await ownerForWrite(context, input);
      return { score_id: await scores.give({ ...score, predictionId, runId }, owner, idMaker(input.retryId)) };
    },
    async scoreRead(input) {
      const { call, runId } = await scores.find(input.params.score_id, await ownerForRead(context, input));
      return scoreAnswer(call, runId);
    },
    async scoreList(input) {
      const { evaluation_run_id: runId, ...page } = input.query;
      const pages = await scores.list({ ...page, runId }, await ownerForRead(context, input));
      return linesOf(pages, ({ call }) => toJson(scoreAnswer(call, readMarks(call)('evaluation_run_id'))));
    },
    async scoreDelete(input) {
      const { project } = await ownerForRead(context, input);
      return { num_deleted: await calls.delete(project.id, input.query.score_ids) };
    },
  });
}

/** What clients know as a score without a value. */
const zero = new JsonText('0.0');

function scoreAnswer(call: FoundCall, runId: string | null) {
  const value = outputOf(call);
  return {
    score_id: call.id,
    scorer: readMarks(call)('scorer') ?? stringAt(membersOf(call.inputs), 'self') ?? '',
    value: value.kind === 'null' ? zero : value,
    evaluation_run_id: runId,
    wb_user_id: call.wbUserId || null,
  };
}
