import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { keySchema } from './key.ts';

export const keysList = defineEndpoint({
  method: 'GET',
  path: '/keys',
  group: 'Accounts',
  name: 'Keys List',
  description:
    'The API keys of the caller, or of all users for the owner of the server, the newest first. Revoked keys are listed too. ' +
    'At most 2,000.',
  answer: { kind: 'json', schema: z.object({ keys: z.array(keySchema) }).meta({ id: 'KeysListRes' }) },
});
