import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { bool, float, int, optional, text } from '../wire.ts';
import { id, metadata, promised, tinker } from './shared.ts';

const loraConfig = z.object({
  rank: int(),
  /** Clients do not send it. */
  alpha: float().default(32),
  seed: optional(int()),
  train_unembed: bool().default(true),
  train_mlp: bool().default(true),
  train_attn: bool().default(true),
});

export const tinkerModelCreate = defineEndpoint({
  ...tinker,
  method: 'POST',
  path: '/api/v1/create_model',
  name: 'Create Tinker Model',
  description:
    'Adds new LoRA weights over a base model to a session. The id of the model is `{session_id}:train:{model_seq_id}`. Attention ' +
    'and MLP layers are trained, never the unembedding.',
  body: z.object({
    session_id: id,
    model_seq_id: int(),
    base_model: text(),
    user_metadata: metadata,
    lora_config: optional(loraConfig),
    optimizer_config: optional(z.looseObject({ type: text().default('adamw') })),
  }),
  answer: promised,
});

const modelBody = z.object({ model_id: id });

export const tinkerModelInfo = defineEndpoint({
  ...tinker,
  method: 'POST',
  path: '/api/v1/get_info',
  name: 'Read Tinker Model',
  description: 'What a model in training is.',
  body: modelBody,
  answer: {
    kind: 'json',
    schema: z
      .object({
        type: z.literal('get_info'),
        model_data: z.object({ arch: z.string(), model_name: z.string(), tokenizer_id: z.string() }),
        model_id: z.string(),
        is_lora: z.boolean(),
        lora_rank: int(),
        model_name: z.string(),
      })
      .meta({ id: 'TinkerModelInfo' }),
  },
});

export const tinkerModelUnload = defineEndpoint({
  ...tinker,
  method: 'POST',
  path: '/api/v1/unload_model',
  name: 'Unload Tinker Model',
  description: 'Ends the training of a model. Its last state is saved as a checkpoint, and its memory is given back.',
  body: modelBody,
  answer: promised,
});
