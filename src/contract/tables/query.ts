import { z } from 'zod';
import { sortBySchema } from '../calls/filter.ts';
import { defineEndpoint } from '../endpoint.ts';
import { anyJson, int, optional, rowCount } from '../wire.ts';

export const tableQuerySchema = z
  .object({
    project_id: z.string(),
    digest: z.string(),
    filter: optional(z.object({ row_digests: optional(z.array(z.string())) }).meta({ id: 'TableRowFilter' })),
    limit: optional(rowCount()),
    offset: optional(rowCount()),
    sort_by: optional(z.array(sortBySchema)),
  })
  .meta({ id: 'TableQueryReq' });

export type TableQuery = z.output<typeof tableQuerySchema>;

/** `original_index` is the position in the whole table, regardless of the filter, order and page. */
export const tableRowSchema = z
  .object({ digest: z.string(), val: anyJson(), original_index: optional(int()) })
  .meta({ id: 'TableRowSchema' });

export const tableQuery = defineEndpoint({
  method: 'POST',
  path: '/table/query',
  group: 'Tables',
  name: 'Table Query',
  description: 'Reads rows of a table, by default all and in their order. An unknown table has none.',
  body: tableQuerySchema,
  answer: { kind: 'json', schema: z.object({ rows: z.array(tableRowSchema) }).meta({ id: 'TableQueryRes' }) },
});
