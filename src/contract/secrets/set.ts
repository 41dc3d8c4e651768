import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { optional, text } from '../wire.ts';
import { secretSchema, secretScope } from './secret.ts';

export const secretSet = defineEndpoint({
  method: 'PUT',
  path: '/secrets',
  group: 'Secrets',
  name: 'Secret Set',
  description:
    'Sets an API key of a model provider, or replaces it. It is stored encrypted, and its value can never be read again. ' +
    'Without `hosts`, the key of a well-known provider can only be sent to this provider, and any other key to every provider.',
  strictJson: true,
  body: z
    .object({
      project_id: z.string(),
      scope: secretScope.default('project'),
      name: text(),
      value: text(),
      hosts: optional(z.array(text()).max(100)),
    })
    .meta({ id: 'SecretSetReq' }),
  answer: { kind: 'json', schema: secretSchema.omit({ updated_at: true }).meta({ id: 'SecretSetRes' }) },
});
