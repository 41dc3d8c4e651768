import { defineEndpoint } from '../endpoint.ts';
import { openAiPage, openAiPageQuery } from '../openai-page.ts';
import { fineTuningJob, group, path } from './fine-tuning-job.ts';

export const fineTuningJobList = defineEndpoint({
  method: 'GET',
  path,
  group,
  name: 'List Fine-tuning Jobs',
  description:
    'Lists the jobs of a project, newest first. `metadata[key]=value` selects those with this pair, and `metadata=null` ' +
    'those without metadata.',
  errors: 'openai',
  query: openAiPageQuery({ default: 20, max: 100 }).loose(),
  answer: { kind: 'json', schema: openAiPage(fineTuningJob, 'FineTuningJobList') },
});
