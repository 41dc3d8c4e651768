import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { storeStateSchema } from './store-state.ts';

export const readiness = defineEndpoint({
  method: 'GET',
  path: '/health/ready',
  group: 'Service',
  name: 'Readiness',
  description:
    'For readiness probes: answers 200 while requests can be served. Otherwise 503 with `status` `starting` while stores are opened ' +
    'and migrated, `failing` with the reason while one does not respond, or `draining` once the process was asked to stop. The ' +
    'stores are checked in the background, so the answer is immediate. A key is not needed; with one, the figures of each store ' +
    "are included, and with the owner's also its address and why it does not answer.",
  open: true,
  answer: { kind: 'json', schema: z.object({ status: z.literal('ready'), stores: z.array(storeStateSchema) }) },
});
