import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { int, repeated } from '../wire.ts';
import { listedItem } from './items.ts';
import { responseParams } from './read.ts';

export const responseInputItems = defineEndpoint({
  method: 'GET',
  path: '/v1/responses/{response_id}/input_items',
  group: 'Responses',
  name: 'List Input Items',
  description:
    'What a stored response answers: its own input and, with `previous_response_id`, the conversation before it. The newest ' +
    'first, unless `order` is `asc`.',
  errors: 'openai',
  params: responseParams,
  query: z.object({
    after: z.string().optional(),
    limit: int().default(20),
    order: z.enum(['asc', 'desc']).default('desc'),
    include: repeated().optional(),
    'include[]': repeated().optional(),
  }),
  answer: {
    kind: 'json',
    schema: z
      .object({
        object: z.literal('list'),
        data: z.array(listedItem),
        first_id: z.string().nullable(),
        last_id: z.string().nullable(),
        has_more: z.boolean(),
      })
      .meta({ id: 'ResponseItemList' }),
  },
});
