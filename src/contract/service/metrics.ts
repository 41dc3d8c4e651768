import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';

export const metrics = defineEndpoint({
  method: 'GET',
  path: '/metrics',
  group: 'Service',
  name: 'Read Metrics',
  description:
    'The numbers of this server for Prometheus: those of models under the names of vLLM, ingest, queries, stores, jobs and ' +
    'memory. It takes any API key, as Prometheus sends with `authorization`; no number names a user or a project.',
  answer: { kind: 'encoded', content: { 'text/plain': z.string() } },
});
