import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { runParams } from '../openai-eval-runs/run.ts';
import { group } from '../openai-evals/eval.ts';
import { openAiPage, openAiPageQuery } from '../openai-page.ts';
import { optional } from '../wire.ts';
import { outputItem, path } from './item.ts';

export const openaiEvalItemList = defineEndpoint({
  method: 'GET',
  path,
  group,
  name: 'List Eval Run Output Items',
  description: 'Lists the results of the rows of a run, in the order of the rows.',
  errors: 'openaiPlatform',
  params: runParams,
  // OpenAI's documentation says `failed`, its SDKs `fail`.
  query: openAiPageQuery({ default: 20, max: 100 }).extend({
    order: z.enum(['asc', 'desc']).default('asc'),
    status: optional(z.enum(['pass', 'fail', 'failed', 'error'])),
  }),
  answer: { kind: 'json', schema: openAiPage(outputItem, 'OpenAIEvalOutputItemPage') },
});
