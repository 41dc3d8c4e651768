import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { secretSchema } from './secret.ts';

export const secretsList = defineEndpoint({
  method: 'GET',
  path: '/secrets',
  group: 'Secrets',
  name: 'Secrets List',
  description:
    'The names of the secrets that a project uses, its own and those of its entity. Their values can never be read.',
  query: z.object({ project_id: z.string() }),
  answer: { kind: 'json', schema: z.object({ secrets: z.array(secretSchema) }).meta({ id: 'SecretsListRes' }) },
});
