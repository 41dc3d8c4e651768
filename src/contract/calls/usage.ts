import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { bool, rowCount } from '../wire.ts';
import { usageAnswerFields } from './aggregated-usage.ts';

export const callsUsage = defineEndpoint({
  method: 'POST',
  path: '/calls/usage',
  group: 'Calls',
  name: 'Calls Usage',
  description:
    'Adds up the tokens that calls and all calls below them used, by model. `limit` bounds the calls of one trace; a ' +
    'larger trace is answered with 413.',
  body: z
    .object({
      project_id: z.string(),
      call_ids: z.array(z.string()),
      include_costs: bool().default(false),
      limit: rowCount().default(10_000),
    })
    .meta({ id: 'CallsUsageReq' }),
  answer: { kind: 'json', schema: z.object(usageAnswerFields).meta({ id: 'CallsUsageRes' }) },
});
