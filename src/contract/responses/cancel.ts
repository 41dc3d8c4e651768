import { defineEndpoint } from '../endpoint.ts';
import { responseParams } from './read.ts';
import { response } from './response.ts';

export const responseCancel = defineEndpoint({
  method: 'POST',
  path: '/v1/responses/{response_id}/cancel',
  group: 'Responses',
  name: 'Cancel Response',
  description:
    'Cancels a response that was created with `background`, and shows it. One that has ended stays as it is. Others are ' +
    'cancelled by closing the connection.',
  errors: 'openai',
  params: responseParams,
  answer: { kind: 'json', schema: response },
});
