import { defineEndpoint } from '../endpoint.ts';
import { group, loopParams, loopSchema, path } from './loop.ts';

export const loopResume = defineEndpoint({
  method: 'POST',
  path: `${path}/{name}/resume`,
  group,
  name: 'Loop Resume',
  description: 'Lets a paused loop go on.',
  params: loopParams,
  answer: { kind: 'json', schema: loopSchema },
});
