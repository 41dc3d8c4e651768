import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { projectParams } from '../project.ts';
import { startResultSchema, startSchema } from './parts.ts';

export const callStartV2 = defineEndpoint({
  method: 'POST',
  takesData: true,
  path: '/v2/{entity}/{project}/call/start',
  group: 'Calls',
  name: 'Call Start V2',
  description: 'Records that a call has started, as `/call/start` does, for the project of the path.',
  params: projectParams,
  body: z.object({ start: startSchema }).meta({ id: 'CallStartV2Req' }),
  answer: { kind: 'json', schema: startResultSchema },
});
