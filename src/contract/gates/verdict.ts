import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { gateParams, group, path } from './gate.ts';

export const gateVerdict = defineEndpoint({
  method: 'GET',
  path: `${path}/{gate_id}/verdict`,
  group,
  name: 'Gate Verdict',
  description: 'The signed verdict of a gate: a DSSE envelope. `heddle gate verify` checks it without a server.',
  params: gateParams,
  answer: {
    kind: 'json',
    schema: z
      .object({
        payloadType: z.string(),
        payload: z.string(),
        signatures: z.array(z.object({ keyid: z.string(), sig: z.string() })),
      })
      .meta({ id: 'SignedVerdict' }),
  },
});
