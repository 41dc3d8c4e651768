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

export const loopResume = defineEndpoint({
  method: 'POST',
  path: `${path}/{name}/resume`,
  group,
  name: 'Loop Resume',
  description: 'Lets a paused loop go on.',
  params: loopParams,
  answer: { kind: 'json', schema: loopSchema },
});
