import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { group, loopParams, loopSchema, path, turnSchema } from './loop.ts';

export const loopRead = defineEndpoint({
  method: 'GET',
  path: `${path}/{name}`,
  group,
  name: 'Loop Read',
  description: 'A loop with its turns, the newest first; of many, the newest 1000.',
  params: loopParams,
  answer: { kind: 'json', schema: loopSchema.extend({ turns: z.array(turnSchema) }).meta({ id: 'LoopReadRes' }) },
});
