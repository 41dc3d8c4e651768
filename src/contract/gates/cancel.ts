import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { gateParams, group, path } from './gate.ts';

export const gateCancel = defineEndpoint({
  method: 'POST',
  path: `${path}/{gate_id}/cancel`,
  group,
  name: 'Gate Cancel',
  description:
    'Ends a gate without a verdict. It still counts as a candidate of the suite, once a thread was compared.',
  params: gateParams,
  answer: { kind: 'json', schema: z.object({ canceled: z.boolean() }).meta({ id: 'GateCancelRes' }) },
});
