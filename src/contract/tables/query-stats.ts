import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { int } from '../wire.ts';

export const tableQueryStats = defineEndpoint({
  method: 'POST',
  path: '/table/query_stats',
  group: 'Tables',
  name: 'Table Query Stats',
  description: 'Counts the rows that a table lists; 0 for an unknown table.',
  body: z.object({ project_id: z.string(), digest: z.string() }).meta({ id: 'TableQueryStatsReq' }),
  answer: { kind: 'json', schema: z.object({ count: int() }).meta({ id: 'TableQueryStatsRes' }) },
});
