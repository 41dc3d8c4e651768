import { z } from 'zod';
import { projectParams } from '../project.ts';
import { anyJson, jsonObject, optional, text } from '../wire.ts';

export const path = '/v2/{entity}/{project}/predictions';
export const group = 'Predictions';
export const predictionParams = projectParams.extend({ prediction_id: text() });

export const spanRefSchema = z.object({ trace_id: z.string(), span_id: z.string() }).meta({ id: 'GenAISpanRef' });

export const predictionSchema = z
  .object({
    prediction_id: z.string(),
    model: z.string(),
    inputs: jsonObject(),
    output: anyJson(),
    evaluation_run_id: optional(z.string()),
    wb_user_id: optional(z.string()),
  })
  .meta({ id: 'PredictionReadRes' });
