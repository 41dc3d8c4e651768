import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { int, optional, text } from '../wire.ts';
import { fineTuningJob, group, path } from './fine-tuning-job.ts';
import { supervisedHyperparameters, wantedMethod } from './method.ts';

function atMost(length: number) {
  return text().refine((value) => value.length <= length, {
    error: `Input should have at most ${length} characters`,
    params: { type: 'value_error' },
  });
}

const metadata = z.record(atMost(64), atMost(512)).refine((pairs) => Object.keys(pairs).length <= 16, {
  error: 'Input should have at most 16 pairs',
  params: { type: 'value_error' },
});

export const fineTuningJobCreate = defineEndpoint({
  method: 'POST',
  path,
  group,
  name: 'Create Fine-tuning Job',
  description:
    'Trains a LoRA adapter over a served model, or further over a fine-tuned one, on an uploaded file. The project is that ' +
    'of the header `X-Heddle-Project`, or `default`.',
  errors: 'openai',
  body: z
    .object({
      model: text(),
      training_file: text(),
      validation_file: optional(text()),
      method: optional(wantedMethod),
      /** The older field for the hyperparameters of supervised jobs. */
      hyperparameters: optional(supervisedHyperparameters),
      suffix: optional(atMost(64)),
      seed: optional(
        int().refine((seed) => seed >= 0 && seed < 2 ** 31, {
          error: 'Input should be from 0 to 2147483647',
          params: { type: 'value_error' },
        }),
      ),
      metadata: optional(metadata),
      integrations: optional(z.array(z.looseObject({ type: text() }))),
    })
    .meta({ id: 'CreateFineTuningJobRequest' }),
  answer: { kind: 'json', schema: fineTuningJob },
});
