import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { bool, repeated, text } from '../wire.ts';
import { response } from './response.ts';

export const responseParams = z.object({ response_id: text() });

export const responseRead = defineEndpoint({
  method: 'GET',
  path: '/v1/responses/{response_id}',
  group: 'Responses',
  name: 'Read Response',
  description: 'A stored response. One that runs in the background is shown as far as it is.',
  errors: 'openai',
  params: responseParams,
  query: z.object({
    include: repeated().optional(),
    'include[]': repeated().optional(),
    stream: bool().optional(),
    starting_after: z.string().optional(),
    include_obfuscation: z.string().optional(),
  }),
  answer: { kind: 'json', schema: response },
});
