import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { text } from '../wire.ts';
import { answerBody, group, loopParams, path, turnParams, turnSchema } from './loop.ts';

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

const turn = `${path}/{name}/turns/{number}`;

export const loopAnswer = defineEndpoint({
  method: 'POST',
  path: `${turn}/answer`,
  group,
  name: 'Loop Answer',
  description: 'Answers the question of a turn: whether its candidate gets traffic. The first answer counts.',
  params: turnParams,
  body: answerBody,
  answer: { kind: 'json', schema: turnSchema },
});

export const loopCancelTurn = defineEndpoint({
  method: 'POST',
  path: `${turn}/cancel`,
  group,
  name: 'Loop Cancel Turn',
  description: 'Ends a turn: its training and its gate stop, and the traffic of its candidate goes back.',
  params: turnParams,
  answer: { kind: 'json', schema: z.object({ canceled: z.boolean() }) },
});

export const loopUndoTurn = defineEndpoint({
  method: 'POST',
  path: `${turn}/undo`,
  group,
  name: 'Loop Undo Turn',
  description:
    'Returns the traffic to what had it before a promoted turn, by a new version of the policy. Later turns start from that model. 409 if ' +
    'the policy has changed since.',
  params: turnParams,
  body: z.object({ reason: text().default('') }).meta({ id: 'LoopUndoBody' }),
  answer: { kind: 'json', schema: turnSchema },
});
