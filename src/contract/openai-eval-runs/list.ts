import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { evalParams, group } from '../openai-evals/eval.ts';
import { openAiPage, openAiPageQuery } from '../openai-page.ts';
import { optional } from '../wire.ts';
import { evalRun, path, runStatuses } from './run.ts';

export const openaiEvalRunList = defineEndpoint({
  method: 'GET',
  path,
  group,
  name: 'List Eval Runs',
  description: 'Lists the runs of an eval. A page ends early if its rows take more than 32 MiB.',
  errors: 'openaiPlatform',
  params: evalParams,
  query: openAiPageQuery({ default: 20, max: 100 }).extend({
    order: z.enum(['asc', 'desc']).default('asc'),
    status: optional(z.enum(runStatuses)),
  }),
  answer: { kind: 'json', schema: openAiPage(evalRun, 'OpenAIEvalRunPage') },
});
