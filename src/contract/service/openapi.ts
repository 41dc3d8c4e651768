import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';

export const openapiJson = defineEndpoint({
  method: 'GET',
  path: '/openapi.json',
  group: 'Service',
  name: 'OpenAPI document',
  description: 'Every path served, described for machines.',
  open: true,
  answer: { kind: 'json', schema: z.record(z.string(), z.unknown()) },
});

export const openapiPage = defineEndpoint({
  method: 'GET',
  path: '/docs',
  group: 'Service',
  name: 'API reference',
  description: 'Every path served, described for people.',
  open: true,
  answer: { kind: 'html' },
});
