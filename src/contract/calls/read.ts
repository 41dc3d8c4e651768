import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { bool } from '../wire.ts';
import { callSchema } from './call.ts';

const flag = () => bool().nullable().default(false);

export const callRead = defineEndpoint({
  method: 'POST',
  path: '/call/read',
  group: 'Calls',
  name: 'Call Read',
  description: 'Reads one call; null where there is none, or none that has started.',
  body: z
    .object({
      project_id: z.string(),
      id: z.string(),
      include_costs: flag(),
      include_storage_size: flag(),
      include_total_storage_size: flag(),
    })
    .meta({ id: 'CallReadReq' }),
  answer: { kind: 'json', schema: z.object({ call: callSchema.nullable() }).meta({ id: 'CallReadRes' }) },
});
