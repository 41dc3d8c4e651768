import { defineEndpoint } from '../endpoint.ts';
import { group, path, runParams, runSchema } from './evaluation-run.ts';

export const evaluationRunRead = defineEndpoint({
  method: 'GET',
  path: `${path}/{evaluation_run_id}`,
  group,
  name: 'Evaluation Run Read',
  description:
    'Reads one run: its status is `running`, `completed` or `failed`. Runs made by the SDKs can be read as well.',
  params: runParams,
  answer: { kind: 'json', schema: runSchema },
});
