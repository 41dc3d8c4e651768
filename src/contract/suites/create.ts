import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { projectParams } from '../project.ts';
import { float, optional, text } from '../wire.ts';
import { group, path, suitePurpose, suiteSchema } from './suite.ts';

export const suiteCreate = defineEndpoint({
  method: 'POST',
  path,
  group,
  name: 'Suite Create',
  description:
    'Freezes a version of a dataset as a suite, on which gates compare models. Its rows are kept out of training from then on. ' +
    '`dataset` is a ref, or `name` or `name:version`. A suite never changes.',
  params: projectParams,
  body: z
    .object({
      name: text(),
      dataset: text(),
      purpose: suitePurpose.default('gate'),
      thread_column: optional(text()),
      alpha: float()
        .refine((alpha) => alpha > 0 && alpha <= 0.5, 'Input should be greater than 0 and at most 0.5')
        .default(0.05),
    })
    .meta({ id: 'SuiteCreateBody' }),
  answer: { kind: 'json', schema: suiteSchema },
});
