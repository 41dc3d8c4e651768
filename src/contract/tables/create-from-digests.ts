import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { optional } from '../wire.ts';

export const tableCreateFromDigests = defineEndpoint({
  method: 'POST',
  takesData: true,
  path: '/table/create_from_digests',
  group: 'Tables',
  name: 'Table Create From Digests',
  description: 'Stores a list of rows that are stored already, or will be: they are not looked up.',
  body: z
    .object({ project_id: z.string(), row_digests: z.array(z.string()), expected_digest: optional(z.string()) })
    .meta({ id: 'TableCreateFromDigestsReq' }),
  answer: { kind: 'json', schema: z.object({ digest: z.string() }).meta({ id: 'TableCreateFromDigestsRes' }) },
});
