import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';

export const objListTags = defineEndpoint({
  method: 'GET',
  path: '/tags',
  group: 'Objects',
  name: 'Tags List',
  description: 'Every tag that a version in the project carries, sorted.',
  query: z.object({ project_id: z.string() }),
  answer: { kind: 'json', schema: z.object({ tags: z.array(z.string()) }).meta({ id: 'TagsListRes' }) },
});
