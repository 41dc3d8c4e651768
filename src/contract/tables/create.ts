import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { jsonObject, optional } from '../wire.ts';

export const tableCreate = defineEndpoint({
  method: 'POST',
  takesData: true,
  path: '/table/create',
  group: 'Tables',
  name: 'Table Create',
  description: 'Stores rows and their list. The answer has one digest per given row, in order.',
  body: z
    .object({
      table: z
        .object({ project_id: z.string(), rows: z.array(jsonObject()), expected_digest: optional(z.string()) })
        .meta({ id: 'TableSchemaForInsert' }),
    })
    .meta({ id: 'TableCreateReq' }),
  answer: {
    kind: 'json',
    schema: z.object({ digest: z.string(), row_digests: z.array(z.string()) }).meta({ id: 'TableCreateRes' }),
  },
});
