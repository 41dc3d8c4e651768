import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';

export const readVersion = defineEndpoint({
  method: 'GET',
  path: '/version',
  group: 'Service',
  name: 'Read Version',
  description: 'The version of this heddle.',
  open: true,
  answer: { kind: 'json', schema: z.object({ version: z.string() }) },
});
