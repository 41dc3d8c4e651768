import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { openAiPage, openAiPageQuery } from '../openai-page.ts';
import { optional, text } from '../wire.ts';
import { group, path, uploadedFile } from './uploaded-file.ts';

export const uploadedFileList = defineEndpoint({
  method: 'GET',
  path,
  group,
  name: 'List Files',
  description: 'Lists the files of a project by age, the newest first unless `order` is `asc`.',
  errors: 'openai',
  query: openAiPageQuery({ default: 10_000, max: 10_000 }).extend({
    order: z.enum(['asc', 'desc']).default('desc'),
    purpose: optional(text()),
  }),
  answer: { kind: 'json', schema: openAiPage(uploadedFile, 'OpenAIFileList') },
});
