import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { text } from '../wire.ts';
import { keySchema } from './key.ts';

export const keyRevoke = defineEndpoint({
  method: 'DELETE',
  path: '/keys/{key_id}',
  group: 'Accounts',
  name: 'Key Revoke',
  description:
    'Revokes an API key of the caller; the owner of the server can revoke those of all users. Requests with it are rejected ' +
    'from now on, and sessions that were started with it end.',
  params: z.object({ key_id: text() }),
  answer: { kind: 'json', schema: keySchema },
});
