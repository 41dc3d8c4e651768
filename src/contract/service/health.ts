import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';

export const health = defineEndpoint({
  method: 'GET',
  path: '/health',
  group: 'Service',
  name: 'Read Root',
  description:
    'Answers 200 while the process serves, for whatever restarts it otherwise. No store is asked: restarting does not help ' +
    'while one is away. `/health/ready` says whether they answer.',
  open: true,
  answer: { kind: 'json', schema: z.object({ status: z.literal('ok') }) },
});
