import { defineEndpoint } from '../endpoint.ts';
import { catalogueModelsSchema, providerParams } from './model.ts';

export const routerModels = defineEndpoint({
  method: 'GET',
  path: '/inference/router/{provider}/models',
  group: 'Inference catalogue',
  name: 'router model list',
  description:
    'The models served here, then those of the provider in the open price data; for a name that is not a provider, those ' +
    'of all providers.',
  params: providerParams,
  answer: { kind: 'json', schema: catalogueModelsSchema },
});
