import { defineEndpoint } from '../endpoint.ts';
import { catalogueModelsSchema, providerParams } from './model.ts';

export const analysisModels = defineEndpoint({
  method: 'GET',
  path: '/inference/analysis/{provider}/models',
  group: 'Inference catalogue',
  name: 'analysis provider model list',
  description: 'The same models as the list for routers.',
  params: providerParams,
  answer: { kind: 'json', schema: catalogueModelsSchema },
});
