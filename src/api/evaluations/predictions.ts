import type { Context } from '../../context.ts';
import { predictionEndpoints } from '../../contract/evaluations/endpoints.ts';
import type { FoundCall } from '../../domain/calls/found-call.ts';
import { idMaker } from '../../domain/calls/ids.ts';
import { inputsOf, modelOf, outputOf, readMarks } from '../../domain/evaluations/marks.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { toJson } from '../../util/json/write.ts';
import { linesOf, ownerForRead, ownerForWrite } from './owner.ts';

export function predictionRoutes(context: Pick<Context, 'identity' | 'services'>): Route[] {
  const { calls, evaluations } = context.services;
  const { predictions } = evaluations;
  return routesOf(predictionEndpoints, {
    async predictionCreate(input) {
      const { evaluation_run_id: runId, genai_span_ref: spanRefs, ...prediction } = input.body;
      const owner = await ownerForWrite(context, input);
      const id = await predictions.make({ ...prediction, runId, spanRefs }, owner, idMaker(input.retryId));
      return { prediction_id: id };
    },
    async predictionRead(input) {
      const owner = await ownerForRead(context, input);
      const { call, runId } = await predictions.find(input.params.prediction_id, owner);
      return predictionAnswer(call, runId);
    },
    async predictionList(input) {
      const { evaluation_run_id: runId, ...page } = input.query;
      const pages = await predictions.list({ ...page, runId }, await ownerForRead(context, input));
      return linesOf(pages, ({ call }) => toJson(predictionAnswer(call, readMarks(call)('evaluation_run_id'))));
    },
    async predictionFinish(input) {
      await predictions.finish(input.params.prediction_id, await ownerForRead(context, input));
      return { success: true };
    },
    async predictionDelete(input) {
      const { project } = await ownerForRead(context, input);
      return { num_deleted: await calls.delete(project.id, input.query.prediction_ids) };
    },
  });
}

function predictionAnswer(call: FoundCall, runId: string | null) {
  return {
    prediction_id: call.id,
    model: modelOf(call),
    inputs: inputsOf(call),
    output: outputOf(call),
    evaluation_run_id: runId,
    wb_user_id: call.wbUserId || null,
  };
}
