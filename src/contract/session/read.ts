import { defineEndpoint } from '../endpoint.ts';
import { sessionSchema } from './session.ts';

export const sessionRead = defineEndpoint({
  method: 'GET',
  path: '/session',
  group: 'Session',
  name: 'Session Read',
  description: 'Who sends this request.',
  answer: { kind: 'json', schema: sessionSchema },
});
