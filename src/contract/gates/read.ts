import { defineEndpoint } from '../endpoint.ts';
import { gateParams, gateWithProgress, group, path } from './gate.ts';

export const gateRead = defineEndpoint({
  method: 'GET',
  path: `${path}/{gate_id}`,
  group,
  name: 'Gate Read',
  description: 'Reads a gate with its evidence so far.',
  params: gateParams,
  answer: { kind: 'json', schema: gateWithProgress },
});
