import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';

export const health = defineEndpoint({
  method: 'GET',
  path: '/health',
  group: 'Service',
  name: 'Read Root',
  description: 'Answers as soon as the server serves.',
  open: true,
  answer: { kind: 'json', schema: z.object({ status: z.literal('ok') }) },
});
