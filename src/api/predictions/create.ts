import type { Context } from '../../context.ts';
import type { predictionCreate as endpoint } from '../../contract/predictions/create.ts';
import { idMaker } from '../../domain/calls/ids.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForWrite } from '../project.ts';

export function predictionCreate(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  const { evaluations } = context.services;
  return async (input) => {
    const { evaluation_run_id: runId, genai_span_ref: spanRefs, ...prediction } = input.body;
    const owner = await ownerForWrite(context, input);
    const id = await evaluations.predictions.make({ ...prediction, runId, spanRefs }, owner, idMaker(input.retryId));
    return { prediction_id: id };
  };
}
