import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { projectParams } from '../project.ts';
import { text } from '../wire.ts';
import { group, loopSchema, path, planFields } from './loop.ts';

export const loopCreate = defineEndpoint({
  method: 'POST',
  path,
  group,
  name: 'Loop Create',
  description:
    'Makes a loop: its turns collect chats, train a candidate, test it on a suite, and give it traffic in stages. The first turn begins ' +
    'when it is started, or at once if the loop has `every_hours`.',
  params: projectParams,
  body: z.object({ name: text(), ...planFields }).meta({ id: 'LoopCreateBody' }),
  answer: { kind: 'json', schema: loopSchema },
});
