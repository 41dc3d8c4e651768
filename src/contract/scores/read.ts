import { defineEndpoint } from '../endpoint.ts';
import { projectParams } from '../project.ts';
import { text } from '../wire.ts';
import { group, path, scoreSchema } from './score.ts';

export const scoreRead = defineEndpoint({
  method: 'GET',
  path: `${path}/{score_id}`,
  group,
  name: 'Score Read',
  description: 'Reads one score.',
  params: projectParams.extend({ score_id: text() }),
  answer: { kind: 'json', schema: scoreSchema },
});
