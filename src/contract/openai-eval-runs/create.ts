import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { evalParams, group } from '../openai-evals/eval.ts';
import { openaiMetadata } from '../openai-metadata.ts';
import { text } from '../wire.ts';
import { dataSource } from './data-source.ts';
import { evalRun, path } from './run.ts';

export const openaiEvalRunCreate = defineEndpoint({
  method: 'POST',
  path,
  group,
  name: 'Create Eval Run',
  description:
    'Starts a run, which continues in the background. Its model is one of `/completions/create`: served, or of a provider. ' +
    'Without a model, the recorded `sample` of each row is graded, or the answer of each stored chat. The run is also an ' +
    'evaluation of the project: its calls can be read as those of other evaluations.',
  strictJson: true,
  takesData: true,
  errors: 'openaiPlatform',
  params: evalParams,
  body: z
    .object({ name: text().max(1000).nullish(), data_source: dataSource, metadata: openaiMetadata.nullish() })
    .meta({ id: 'CreateEvalRunRequest' }),
  answer: { kind: 'json', schema: evalRun },
});
