import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { optional } from '../wire.ts';

export const callUpdate = defineEndpoint({
  method: 'POST',
  path: '/call/update',
  group: 'Calls',
  name: 'Call Update',
  description: 'Renames a call; an empty name takes the name away.',
  body: z
    .object({
      project_id: z.string(),
      call_id: z.string(),
      display_name: optional(z.string()),
      wb_user_id: optional(z.string()),
    })
    .meta({ id: 'CallUpdateReq' }),
  answer: { kind: 'json', schema: z.object({}).meta({ id: 'CallUpdateRes' }) },
});
