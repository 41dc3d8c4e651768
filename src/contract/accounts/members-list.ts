import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { memberSchema } from './member.ts';

export const membersList = defineEndpoint({
  method: 'GET',
  path: '/entities/{entity}/members',
  group: 'Accounts',
  name: 'Members List',
  description: 'The users who can read and write the projects of an entity of the caller, by name. At most 2,000.',
  params: z.object({ entity: z.string() }),
  answer: { kind: 'json', schema: z.object({ members: z.array(memberSchema) }).meta({ id: 'MembersListRes' }) },
});
