import { defineEndpoint } from '../endpoint.ts';
import { group, loopParams, path, turnSchema } from './loop.ts';

export const loopStartTurn = defineEndpoint({
  method: 'POST',
  path: `${path}/{name}/turns`,
  group,
  name: 'Loop Start Turn',
  description:
    'Starts a turn now; one that waits for its time begins. 409 if a turn has begun and not ended, or the loop is paused.',
  params: loopParams,
  answer: { kind: 'json', schema: turnSchema },
});
