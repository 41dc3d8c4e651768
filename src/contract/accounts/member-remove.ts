import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { bool, text } from '../wire.ts';

export const memberRemove = defineEndpoint({
  method: 'DELETE',
  path: '/entities/{entity}/members/{username}',
  group: 'Accounts',
  name: 'Member Remove',
  description:
    'Removes a user from an entity. Only the owner of the server can do this. The user keeps their API keys, with which they ' +
    'can no longer reach the projects of the entity.',
  params: z.object({ entity: text(), username: text() }),
  answer: { kind: 'json', schema: z.object({ success: bool() }).meta({ id: 'MemberRemoveRes' }) },
});
