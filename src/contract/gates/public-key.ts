import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { group } from './gate.ts';

export const gatePublicKey = defineEndpoint({
  method: 'GET',
  path: '/gates/public_key',
  group,
  name: 'Gate Public Key',
  description: 'The Ed25519 key that verifies the verdicts of this deployment, in PEM, and the SHA-256 of its DER.',
  answer: {
    kind: 'json',
    schema: z.object({ key_id: z.string(), public_key: z.string() }).meta({ id: 'GatePublicKeyRes' }),
  },
});
