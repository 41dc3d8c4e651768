import { defineEndpoint } from '../endpoint.ts';
import { group, path, suiteParams, suiteSchema } from './suite.ts';

export const suiteRead = defineEndpoint({
  method: 'GET',
  path: `${path}/{suite}`,
  group,
  name: 'Suite Read',
  description: 'Reads a suite by its name.',
  params: suiteParams,
  answer: { kind: 'json', schema: suiteSchema },
});
