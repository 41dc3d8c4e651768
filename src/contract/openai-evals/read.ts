import { defineEndpoint } from '../endpoint.ts';
import { evalObject, evalParams, group, path } from './eval.ts';

export const openaiEvalRead = defineEndpoint({
  method: 'GET',
  path: `${path}/{eval_id}`,
  group,
  name: 'Get Eval',
  description: 'Reads an eval.',
  errors: 'openaiPlatform',
  params: evalParams,
  answer: { kind: 'json', schema: evalObject },
});
