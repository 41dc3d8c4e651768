import { defineEndpoint } from '../endpoint.ts';
import { group, path, suiteParams, suiteWithOverlapsSchema } from './suite.ts';

export const suiteRead = defineEndpoint({
  method: 'GET',
  path: `${path}/{suite}`,
  group,
  name: 'Suite Read',
  description: 'Reads a suite by its name, with the rows of it that models were trained on.',
  params: suiteParams,
  answer: { kind: 'json', schema: suiteWithOverlapsSchema },
});
