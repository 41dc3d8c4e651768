import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';

export const health = defineEndpoint({
  method: 'GET',
  path: '/health',
  group: 'Service',
  name: 'Read Root',
  description:
    'For liveness probes: answers 200 while the process runs. It does not check the stores, because a restart would not help ' +
    'while one is away; `/health/ready` does.',
  open: true,
  answer: { kind: 'json', schema: z.object({ status: z.literal('ok') }) },
});
