import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { optional } from '../wire.ts';

export const evaluateModel = defineEndpoint({
  method: 'POST',
  path: '/evaluations/evaluate_model',
  takesData: true,
  group: 'Evaluations',
  name: 'Evaluate Model',
  description:
    'Evaluates a completion model on the server, as `Evaluation.evaluate` of the SDK does, with scorers that are judges or ' +
    'rules. Returns the call id of the evaluation; `/evaluations/status` returns its progress.',
  body: z
    .object({
      project_id: z.string(),
      evaluation_ref: z.string(),
      model_ref: z.string(),
      wb_user_id: optional(z.string()),
    })
    .meta({ id: 'EvaluateModelReq' }),
  answer: { kind: 'json', schema: z.object({ call_id: z.string() }).meta({ id: 'EvaluateModelRes' }) },
});
