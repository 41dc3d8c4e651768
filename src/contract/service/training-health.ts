import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';

export const trainingHealth = defineEndpoint({
  method: 'GET',
  path: '/v1/health',
  group: 'Service',
  name: 'Health Check',
  description:
    'Answers 200 while the server and its stores work, and 503 with the reason when a store no longer answers.',
  errors: 'detail',
  open: true,
  answer: { kind: 'json', schema: z.object({ status: z.literal('ok') }) },
});
