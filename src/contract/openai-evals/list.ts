import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { openAiPage, openAiPageQuery } from '../openai-page.ts';
import { evalObject, group, path } from './eval.ts';

export const openaiEvalList = defineEndpoint({
  method: 'GET',
  path,
  group,
  name: 'List Evals',
  description: 'Lists the evals of a project.',
  errors: 'openaiPlatform',
  query: openAiPageQuery({ default: 20, max: 100 }).extend({
    order: z.enum(['asc', 'desc']).default('asc'),
    order_by: z.enum(['created_at', 'updated_at']).default('created_at'),
  }),
  answer: { kind: 'json', schema: openAiPage(evalObject, 'OpenAIEvalPage') },
});
