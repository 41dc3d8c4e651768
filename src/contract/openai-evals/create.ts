import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { openaiMetadata } from '../openai-metadata.ts';
import { text } from '../wire.ts';
import { newCriterion } from './criterion.ts';
import { evalObject, group, newDataSourceConfig, path } from './eval.ts';

export const openaiEvalCreate = defineEndpoint({
  method: 'POST',
  path,
  group,
  name: 'Create Eval',
  description:
    'Creates an eval: the schema of its rows, and the graders that test the outputs of a model. Runs apply it to data. ' +
    'The header `X-Heddle-Project` names its project (`entity/project`; without it `default`).',
  strictJson: true,
  errors: 'openaiPlatform',
  body: z
    .object({
      name: text().max(1000).nullish(),
      data_source_config: newDataSourceConfig,
      testing_criteria: z.array(newCriterion).min(1).max(100),
      metadata: openaiMetadata.nullish(),
    })
    .meta({ id: 'CreateEvalRequest' }),
  answer: { kind: 'json', schema: evalObject },
});
