import { defineEndpoint } from '../endpoint.ts';
import { group } from '../openai-evals/eval.ts';
import { itemParams, outputItem, path } from './item.ts';

export const openaiEvalItemRead = defineEndpoint({
  method: 'GET',
  path: `${path}/{output_item_id}`,
  group,
  name: 'Get Eval Run Output Item',
  description: 'Reads the result of one row of a run.',
  errors: 'openaiPlatform',
  params: itemParams,
  answer: { kind: 'json', schema: outputItem },
});
