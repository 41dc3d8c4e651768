import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { projectParams } from '../project.ts';
import { pageQuery } from '../resources/resource.ts';
import { anyJson, bool, int, jsonObject, optional, repeated, text } from '../wire.ts';

const path = '/v2/{entity}/{project}/predictions';
const group = 'Predictions';
const predictionParams = projectParams.extend({ prediction_id: text() });

export const spanRefSchema = z.object({ trace_id: z.string(), span_id: z.string() }).meta({ id: 'GenAISpanRef' });

const predictionSchema = z
  .object({
    prediction_id: z.string(),
    model: z.string(),
    inputs: jsonObject(),
    output: anyJson(),
    evaluation_run_id: optional(z.string()),
    wb_user_id: optional(z.string()),
  })
  .meta({ id: 'PredictionReadRes' });

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

export const predictionRead = defineEndpoint({
  method: 'GET',
  path: `${path}/{prediction_id}`,
  group,
  name: 'Prediction Read',
  description: 'Reads one prediction.',
  params: predictionParams,
  answer: { kind: 'json', schema: predictionSchema },
});

export const predictionList = defineEndpoint({
  method: 'GET',
  path,
  group,
  name: 'Prediction List',
  description: 'Streams the predictions of a run, or of the project, the oldest first.',
  params: projectParams,
  query: pageQuery.extend({ evaluation_run_id: optional(text()) }),
  answer: { kind: 'lines', schema: predictionSchema, mediaType: 'application/jsonl' },
});

export const predictionFinish = defineEndpoint({
  method: 'POST',
  path: `${path}/{prediction_id}/finish`,
  group,
  name: 'Prediction Finish',
  description:
    'Ends the call of `Evaluation.predict_and_score` around a prediction with the scores given so far. Finished again, it gets the scores given since.',
  params: predictionParams,
  answer: { kind: 'json', schema: z.object({ success: bool() }).meta({ id: 'PredictionFinishRes' }) },
});

export const predictionDelete = defineEndpoint({
  method: 'DELETE',
  path,
  group,
  name: 'Prediction Delete',
  description: 'Deletes predictions. Their scores stay.',
  params: projectParams,
  query: z.object({ prediction_ids: repeated() }),
  answer: { kind: 'json', schema: z.object({ num_deleted: int() }).meta({ id: 'PredictionDeleteRes' }) },
});
