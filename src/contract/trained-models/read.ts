import { defineEndpoint } from '../endpoint.ts';
import { group, path, trainedModel, trainedModelParams } from './trained-model.ts';

export const trainedModelRead = defineEndpoint({
  method: 'GET',
  path: `${path}/{model_id}`,
  group,
  name: 'Read Model',
  description: 'Reads a trained model.',
  errors: 'detail',
  params: trainedModelParams,
  answer: { kind: 'json', schema: trainedModel },
});
