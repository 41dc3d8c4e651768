import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { bool } from '../wire.ts';

export const signOut = defineEndpoint({
  method: 'DELETE',
  path: '/session',
  group: 'Session',
  name: 'Sign Out',
  description: "Ends the session of the request's cookie. Without one, nothing happens.",
  open: true,
  answer: { kind: 'jsonWithHeaders', schema: z.object({ success: bool() }).meta({ id: 'SignOutRes' }) },
});
