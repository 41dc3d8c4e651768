import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { int, jsonObject } from '../wire.ts';

/** One change to a table. Indexes count from 0 in the list as the previous changes left it. */
const tableChangeSchema = z.union([
  z
    .object({ append: z.object({ row: jsonObject() }).meta({ id: 'TableAppendSpecPayload' }) })
    .meta({ id: 'TableAppendSpec' }),
  z.object({ pop: z.object({ index: int() }).meta({ id: 'TablePopSpecPayload' }) }).meta({ id: 'TablePopSpec' }),
  z
    .object({ insert: z.object({ index: int(), row: jsonObject() }).meta({ id: 'TableInsertSpecPayload' }) })
    .meta({ id: 'TableInsertSpec' }),
]);

export type TableChange = z.output<typeof tableChangeSchema>;

export const tableUpdate = defineEndpoint({
  method: 'POST',
  takesData: true,
  largeBodiesAtOnce: 1,
  path: '/table/update',
  group: 'Tables',
  name: 'Table Update',
  description: 'Makes a new table from one that exists, which stays as it is.',
  body: z
    .object({ project_id: z.string(), base_digest: z.string(), updates: z.array(tableChangeSchema) })
    .meta({ id: 'TableUpdateReq' }),
  answer: {
    kind: 'json',
    schema: z.object({ digest: z.string(), updated_row_digests: z.array(z.string()) }).meta({ id: 'TableUpdateRes' }),
  },
});
