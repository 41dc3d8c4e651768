import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { evalParams, group, path } from './eval.ts';

export const openaiEvalDelete = defineEndpoint({
  method: 'DELETE',
  path: `${path}/{eval_id}`,
  group,
  name: 'Delete Eval',
  description: 'Deletes an eval with its runs and their calls. Runs in progress stop.',
  errors: 'openaiPlatform',
  params: evalParams,
  answer: {
    kind: 'json',
    schema: z
      .object({ object: z.literal('eval.deleted'), deleted: z.boolean(), eval_id: z.string() })
      .meta({ id: 'DeleteEvalResponse' }),
  },
});
