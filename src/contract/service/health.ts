import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { optional } from '../wire.ts';
import { storeStateSchema } from './store-state.ts';

export const health = defineEndpoint({
  method: 'GET',
  path: '/health',
  group: 'Service',
  name: 'Read Root',
  description:
    'Answers 200 while the server and its stores work, and 503 with the reason when a store no longer answers. The stores ' +
    'are asked all the time, so this is quick; with `ready` they are asked for this very answer. A key is not needed; with ' +
    "one, the figures of each store are included, and with the owner's also its address and why it does not answer.",
  open: true,
  query: z.object({ ready: optional(z.string()) }),
  answer: { kind: 'json', schema: z.object({ status: z.literal('ok'), stores: z.array(storeStateSchema) }) },
});
