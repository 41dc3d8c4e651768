import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { bool, optional, rowCount } from '../wire.ts';
import { usageAnswerFields } from './aggregated-usage.ts';
import { callsFilterSchema, querySchema } from './filter.ts';

export const traceUsage = defineEndpoint({
  method: 'POST',
  path: '/trace/usage',
  group: 'Calls',
  name: 'Trace Usage',
  description:
    'Adds up the tokens that the matching calls used, by model; each with those of its descendants that match too. Of ' +
    'more than `limit` matching calls the oldest are looked at.',
  body: z
    .object({
      project_id: z.string(),
      filter: optional(callsFilterSchema),
      query: optional(querySchema),
      include_costs: bool().default(false),
      limit: rowCount().default(10_000),
    })
    .meta({ id: 'TraceUsageReq' }),
  answer: { kind: 'json', schema: z.object(usageAnswerFields).meta({ id: 'TraceUsageRes' }) },
});
