import { defineEndpoint } from '../endpoint.ts';
import { group } from '../openai-evals/eval.ts';
import { evalRun, path, runParams } from './run.ts';

export const openaiEvalRunRead = defineEndpoint({
  method: 'GET',
  path: `${path}/{run_id}`,
  group,
  name: 'Get Eval Run',
  description: 'Reads a run: its status, its data source and the results so far.',
  errors: 'openaiPlatform',
  params: runParams,
  answer: { kind: 'json', schema: evalRun },
});
