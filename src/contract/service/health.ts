import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { optional } from '../wire.ts';

export const health = defineEndpoint({
  method: 'GET',
  path: '/health',
  group: 'Service',
  name: 'Read Root',
  description:
    'Answers 200 while the server and its stores work, and 503 with the reason when a store no longer answers. The stores ' +
    'are asked all the time, so this is quick; with `ready` they are asked for this very answer.',
  open: true,
  query: z.object({ ready: optional(z.string()) }),
  answer: { kind: 'json', schema: z.object({ status: z.literal('ok') }) },
});
