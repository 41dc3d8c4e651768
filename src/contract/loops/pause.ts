import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { text } from '../wire.ts';
import { group, loopParams, loopSchema, path } from './loop.ts';

export const loopPause = defineEndpoint({
  method: 'POST',
  path: `${path}/{name}/pause`,
  group,
  name: 'Loop Pause',
  description:
    'Pauses a loop: its turn begins no further phase or stage, and no new turn begins. What runs already, such as training, ends.',
  params: loopParams,
  body: z.object({ reason: text().default('') }).meta({ id: 'LoopPauseBody' }),
  answer: { kind: 'json', schema: loopSchema },
});
