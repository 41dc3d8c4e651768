import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { optional, text } from '../wire.ts';
import { keySchema } from './key.ts';

export const keyCreate = defineEndpoint({
  method: 'POST',
  path: '/keys',
  group: 'Accounts',
  name: 'Key Create',
  description:
    'Creates an API key for the caller. The owner of the server can create one for another user. The answer is the only ' +
    'place where the key can be read. A user can have 200 active keys.',
  body: z
    .object({
      name: text().default('key').meta({ description: 'To recognize the key by.' }),
      username: optional(text()),
    })
    .meta({ id: 'KeyCreateReq' }),
  answer: {
    kind: 'json',
    schema: keySchema.extend({ key: z.string() }).meta({ id: 'KeyCreateRes' }),
  },
});
