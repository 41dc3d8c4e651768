import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { startResultSchema, startSchema } from './parts.ts';

export const callStart = defineEndpoint({
  method: 'POST',
  takesData: true,
  path: '/call/start',
  group: 'Calls',
  name: 'Call Start',
  description: 'Records that a call has started. Sent again, the later start wins; an end that came first is kept.',
  body: z.object({ start: startSchema }).meta({ id: 'CallStartReq' }),
  answer: { kind: 'json', schema: startResultSchema },
});
