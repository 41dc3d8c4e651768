import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { text } from '../wire.ts';
import { group, turnParams, turnPath, turnSchema } from './loop.ts';

export const loopUndoTurn = defineEndpoint({
  method: 'POST',
  path: `${turnPath}/undo`,
  group,
  name: 'Loop Undo Turn',
  description:
    'Returns the traffic to what had it before a promoted turn, by a new version of the policy. Later turns start from that model. 409 if ' +
    'the policy has changed since.',
  params: turnParams,
  body: z.object({ reason: text().default('') }).meta({ id: 'LoopUndoBody' }),
  answer: { kind: 'json', schema: turnSchema },
});
