import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { bool, optional, text } from '../wire.ts';
import { group, path, trainedModel } from './trained-model.ts';

/** Part of the name of each served checkpoint: `wandb-artifact:///entity/project/name:step3`. */
export const modelName = text().refine((name) => /^[\w.-]{1,128}$/.test(name), {
  error: 'A model name has 1 to 128 letters, digits, dots, dashes and underscores',
  params: { type: 'value_error' },
});

export const trainedModelCreate = defineEndpoint({
  method: 'POST',
  path,
  group,
  name: 'Create Model',
  description:
    'Registers a model to train: a series of LoRA adapters over a served base model. It can be chatted with at once, as ' +
    '`wandb-artifact:///entity/project/name`. The project is created if it does not exist; without an entity it belongs to ' +
    "the caller's default entity.",
  errors: 'detail',
  body: z
    .object({
      entity: optional(text()),
      project: text(),
      name: modelName,
      base_model: text(),
      return_existing: bool().nullable().default(false),
    })
    .meta({ id: 'CreateModelRequest' }),
  answer: { kind: 'json', schema: trainedModel },
});
