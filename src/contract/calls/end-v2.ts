import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { projectParams } from '../project.ts';
import { endResultSchema, endSchema } from './parts.ts';

export const callEndV2 = defineEndpoint({
  method: 'POST',
  takesData: true,
  path: '/v2/{entity}/{project}/call/end',
  group: 'Calls',
  name: 'Call End V2',
  description: 'Records that a call has ended. Unlike `/call/end` it answers 404 where no start of the call is known.',
  params: projectParams,
  body: z.object({ end: endSchema }).meta({ id: 'CallEndV2Req' }),
  answer: { kind: 'json', schema: endResultSchema },
});
