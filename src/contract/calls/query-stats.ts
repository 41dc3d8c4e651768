import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { bool, int, optional, rowCount } from '../wire.ts';
import { callsFilterSchema, querySchema } from './filter.ts';

export const callsQueryStats = defineEndpoint({
  method: 'POST',
  path: '/calls/query_stats',
  group: 'Calls',
  name: 'Calls Query Stats',
  description: 'Counts the calls that match, up to `limit`, and sums what they take to store.',
  body: z
    .object({
      project_id: z.string(),
      filter: optional(callsFilterSchema),
      query: optional(querySchema),
      limit: optional(rowCount()),
      include_total_storage_size: bool().nullable().default(false),
      expand_columns: optional(z.array(z.string())),
    })
    .meta({ id: 'CallsQueryStatsReq' }),
  answer: {
    kind: 'json',
    schema: z
      .object({
        count: int(),
        has_more: bool().default(false),
        total_storage_size_bytes: optional(int()),
      })
      .meta({ id: 'CallsQueryStatsRes' }),
  },
});
