import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { bool, text } from '../wire.ts';
import { memberSchema } from './member.ts';

export const memberAdd = defineEndpoint({
  method: 'POST',
  path: '/entities/{entity}/members',
  group: 'Accounts',
  name: 'Member Add',
  description:
    'Adds a user to an entity, and creates the user if there is none with this name. Only the owner of the server can do this. ' +
    'A new user has no API key yet.',
  params: z.object({ entity: text() }),
  body: z.object({ username: text() }).meta({ id: 'MemberAddReq' }),
  answer: {
    kind: 'json',
    schema: memberSchema
      .extend({ is_new_user: bool().meta({ description: 'Whether the user was created.' }) })
      .meta({ id: 'MemberAddRes' }),
  },
});
