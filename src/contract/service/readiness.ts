import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { storeStateSchema } from './store-state.ts';

export const readiness = defineEndpoint({
  method: 'GET',
  path: '/health/ready',
  group: 'Service',
  name: 'Readiness',
  description:
    'For balancers: answers 200 while requests can be answered. 503 with `status` `starting` while stores are opened and migrated, ' +
    '`failing` while one does not answer, with the reason, and `draining` once the process was asked to end. The stores are ' +
    'asked all the time and not for this answer, so it is quick. A key is not needed; with one, the figures of each store ' +
    "are included, and with the owner's also its address and why it does not answer.",
  open: true,
  answer: { kind: 'json', schema: z.object({ status: z.literal('ready'), stores: z.array(storeStateSchema) }) },
});
