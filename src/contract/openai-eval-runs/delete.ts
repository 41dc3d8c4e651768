import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { group } from '../openai-evals/eval.ts';
import { path, runParams } from './run.ts';

export const openaiEvalRunDelete = defineEndpoint({
  method: 'DELETE',
  path: `${path}/{run_id}`,
  group,
  name: 'Delete Eval Run',
  description: 'Deletes a run with its calls. If it is in progress, it stops.',
  errors: 'openaiPlatform',
  params: runParams,
  answer: {
    kind: 'json',
    schema: z
      .object({ object: z.literal('eval.run.deleted'), deleted: z.boolean(), run_id: z.string() })
      .meta({ id: 'DeleteEvalRunResponse' }),
  },
});
