import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { servedModel } from './model.ts';

export const modelsList = defineEndpoint({
  method: 'GET',
  path: '/v1/models',
  group: 'Served models',
  name: 'List Models',
  description:
    'The models served: those that were pulled, `heddle/tiny`, and the fine-tuned ones of the project in the header ' +
    '`X-Heddle-Project`, or of `default`.',
  answer: {
    kind: 'json',
    schema: z.object({ object: z.literal('list'), data: z.array(servedModel) }).meta({ id: 'ServedModelList' }),
  },
});
