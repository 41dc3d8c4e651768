import { defineEndpoint } from '../endpoint.ts';
import { group, path, predictionParams, predictionSchema } from './prediction.ts';

export const predictionRead = defineEndpoint({
  method: 'GET',
  path: `${path}/{prediction_id}`,
  group,
  name: 'Prediction Read',
  description: 'Reads one prediction.',
  params: predictionParams,
  answer: { kind: 'json', schema: predictionSchema },
});
