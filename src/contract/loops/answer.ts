import { defineEndpoint } from '../endpoint.ts';
import { answerBody, group, turnParams, turnPath, turnSchema } from './loop.ts';

export const loopAnswer = defineEndpoint({
  method: 'POST',
  path: `${turnPath}/answer`,
  group,
  name: 'Loop Answer',
  description: 'Answers the question of a turn: whether its candidate gets traffic. The first answer counts.',
  params: turnParams,
  body: answerBody,
  answer: { kind: 'json', schema: turnSchema },
});
