import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { bool, int, optional } from '../wire.ts';

const tableStatsSchema = z
  .object({ count: int(), digest: z.string(), storage_size_bytes: optional(int()) })
  .meta({ id: 'TableStatsRow' });

export const tableQueryStatsBatch = defineEndpoint({
  method: 'POST',
  path: '/table/query_stats_batch',
  group: 'Tables',
  name: 'Table Query Stats Batch',
  description: 'Counts the rows of several tables and, when asked, their bytes. Unknown tables are left out.',
  body: z
    .object({
      project_id: z.string(),
      digests: z.array(z.string()).nullable().default([]),
      include_storage_size: bool().nullable().default(false),
    })
    .meta({ id: 'TableQueryStatsBatchReq' }),
  answer: {
    kind: 'json',
    schema: z.object({ tables: z.array(tableStatsSchema) }).meta({ id: 'TableQueryStatsBatchRes' }),
  },
});
