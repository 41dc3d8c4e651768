import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { endResultSchema, endSchema } from './parts.ts';

export const callEnd = defineEndpoint({
  method: 'POST',
  takesData: true,
  path: '/call/end',
  group: 'Calls',
  name: 'Call End',
  description: 'Records that a call has ended. It may come before the start: the call shows once both are there.',
  body: z.object({ end: endSchema }).meta({ id: 'CallEndReq' }),
  answer: { kind: 'json', schema: endResultSchema },
});
