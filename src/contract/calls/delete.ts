import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { int, optional } from '../wire.ts';

export const callsDelete = defineEndpoint({
  method: 'POST',
  path: '/calls/delete',
  group: 'Calls',
  name: 'Calls Delete',
  description: 'Deletes calls and all their descendants. The answer counts the calls really deleted.',
  body: z
    .object({ project_id: z.string(), call_ids: z.array(z.string()), wb_user_id: optional(z.string()) })
    .meta({ id: 'CallsDeleteReq' }),
  answer: { kind: 'json', schema: z.object({ num_deleted: int() }).meta({ id: 'CallsDeleteRes' }) },
});
