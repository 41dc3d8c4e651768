import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { bool, text } from '../wire.ts';
import { secretScope } from './secret.ts';

export const secretRemove = defineEndpoint({
  method: 'DELETE',
  path: '/secrets/{name}',
  group: 'Secrets',
  name: 'Secret Remove',
  description: 'Removes a secret of a project, or of its entity.',
  params: z.object({ name: text() }),
  query: z.object({ project_id: z.string(), scope: secretScope.default('project') }),
  answer: { kind: 'json', schema: z.object({ success: bool() }).meta({ id: 'SecretRemoveRes' }) },
});
