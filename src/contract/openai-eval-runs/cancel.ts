import { defineEndpoint } from '../endpoint.ts';
import { group } from '../openai-evals/eval.ts';
import { evalRun, path, runParams } from './run.ts';

export const openaiEvalRunCancel = defineEndpoint({
  method: 'POST',
  path: `${path}/{run_id}/cancel`,
  // Used by clients from 2025.
  aliases: [`${path}/{run_id}`],
  group,
  name: 'Cancel Eval Run',
  description: 'Stops a run. The results so far remain. A run that has ended is returned as it is.',
  errors: 'openaiPlatform',
  params: runParams,
  answer: { kind: 'json', schema: evalRun },
});
