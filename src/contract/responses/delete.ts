import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { responseParams } from './read.ts';

export const responseDelete = defineEndpoint({
  method: 'DELETE',
  path: '/v1/responses/{response_id}',
  group: 'Responses',
  name: 'Delete Response',
  description: 'Deletes a stored response with its call. One that runs in the background is cancelled first.',
  errors: 'openai',
  params: responseParams,
  answer: {
    kind: 'json',
    schema: z
      .object({ id: z.string(), object: z.literal('response'), deleted: z.literal(true) })
      .meta({ id: 'DeletedResponse' }),
  },
});
