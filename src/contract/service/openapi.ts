import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';

export const openapi = defineEndpoint({
  method: 'GET',
  path: '/openapi.json',
  group: 'Service',
  name: 'OpenAPI document',
  description: 'Every path served, described for machines.',
  open: true,
  answer: { kind: 'json', schema: z.record(z.string(), z.unknown()) },
});
