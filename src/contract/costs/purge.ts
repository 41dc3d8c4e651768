import { z } from 'zod';
import { querySchema } from '../calls/filter.ts';
import { defineEndpoint } from '../endpoint.ts';

export const costPurge = defineEndpoint({
  method: 'POST',
  path: '/cost/purge',
  group: 'Costs',
  name: 'Cost Purge',
  description:
    'Removes prices of a project for good. The query names their ids: by `$eq` or `$in` on `id`, or by an `$or` of such ' +
    '`$eq`. Ids that are not there are passed over.',
  body: z.object({ project_id: z.string(), query: querySchema }).meta({ id: 'CostPurgeReq' }),
  answer: { kind: 'json', schema: z.object({}).meta({ id: 'CostPurgeRes' }) },
});
