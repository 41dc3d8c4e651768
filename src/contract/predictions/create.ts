import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { projectParams } from '../project.ts';
import { anyJson, jsonObject, optional, text } from '../wire.ts';
import { group, path, spanRefSchema } from './prediction.ts';

export const predictionCreate = defineEndpoint({
  method: 'POST',
  takesData: true,
  path,
  group,
  name: 'Prediction Create',
  description:
    'Records what a model made of some inputs. In a run it becomes part of a call of `Evaluation.predict_and_score`, ' +
    'which ends when the prediction is finished.',
  params: projectParams,
  body: z
    .object({
      model: z.string(),
      inputs: jsonObject(),
      output: anyJson(),
      evaluation_run_id: optional(text()),
      genai_span_ref: optional(z.array(spanRefSchema)),
    })
    .meta({ id: 'PredictionCreateBody' }),
  answer: { kind: 'json', schema: z.object({ prediction_id: z.string() }).meta({ id: 'PredictionCreateRes' }) },
});
