import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { group, turnParams, turnPath } from './loop.ts';

export const loopCancelTurn = defineEndpoint({
  method: 'POST',
  path: `${turnPath}/cancel`,
  group,
  name: 'Loop Cancel Turn',
  description: 'Ends a turn: its training and its gate stop, and the traffic of its candidate goes back.',
  params: turnParams,
  answer: { kind: 'json', schema: z.object({ canceled: z.boolean() }) },
});
