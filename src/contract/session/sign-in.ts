import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { optional } from '../wire.ts';
import { sessionSchema } from './session.ts';

export const signIn = defineEndpoint({
  method: 'POST',
  path: '/session',
  group: 'Session',
  name: 'Sign In',
  description:
    'Signs the web page in, with an API key or with the token of a sign-in link. The answer sets an HttpOnly cookie, which ' +
    'the server accepts instead of a key from pages of its own origin. The cookie does not contain the key.',
  open: true,
  strictJson: true,
  body: z
    .object({ api_key: optional(z.string()), link_token: optional(z.string()) })
    .refine((body) => (body.api_key === null) !== (body.link_token === null), {
      error: 'Give either api_key or link_token',
    })
    .meta({ id: 'SignInReq' }),
  answer: { kind: 'jsonWithHeaders', schema: sessionSchema },
});
