import { defineEndpoint } from '../endpoint.ts';
import { group, loopParams, loopPlan, loopSchema, path } from './loop.ts';

export const loopChange = defineEndpoint({
  method: 'PUT',
  path: `${path}/{name}`,
  group,
  name: 'Loop Change',
  description: 'Changes the plan of a loop. A turn that has begun keeps the plan with which it began.',
  params: loopParams,
  body: loopPlan,
  answer: { kind: 'json', schema: loopSchema },
});
