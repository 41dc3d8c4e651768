import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';

export const objListAliases = defineEndpoint({
  method: 'GET',
  path: '/aliases',
  group: 'Objects',
  name: 'Aliases List',
  description: 'Every alias that stands at a version in the project, sorted; `latest` is one of them.',
  query: z.object({ project_id: z.string() }),
  answer: { kind: 'json', schema: z.object({ aliases: z.array(z.string()) }).meta({ id: 'AliasesListRes' }) },
});
