import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { openaiMetadata } from '../openai-metadata.ts';
import { text } from '../wire.ts';
import { evalObject, evalParams, group, path } from './eval.ts';

export const openaiEvalUpdate = defineEndpoint({
  method: 'POST',
  path: `${path}/{eval_id}`,
  group,
  name: 'Update Eval',
  description: 'Changes the name or the metadata of an eval. Fields that are absent or null stay as they are.',
  strictJson: true,
  errors: 'openaiPlatform',
  params: evalParams,
  body: z
    .object({ name: text().max(1000).nullish(), metadata: openaiMetadata.nullish() })
    .meta({ id: 'UpdateEvalRequest' }),
  answer: { kind: 'json', schema: evalObject },
});
