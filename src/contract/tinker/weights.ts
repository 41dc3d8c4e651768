import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { bool, int, optional, text } from '../wire.ts';
import { id, metadata, promised, seqId, textMetadata, tinker } from './shared.ts';

const saved = { model_id: id, seq_id: seqId, ttl_seconds: optional(int()) };

export const tinkerWeightsSave = defineEndpoint({
  ...tinker,
  method: 'POST',
  path: '/api/v1/save_weights',
  name: 'Save Tinker State',
  description: 'Saves the weights and the optimizer of a model, as `tinker://RUN/weights/NAME`.',
  body: z.object({
    ...saved,
    path: optional(text()),
    overwrite: bool().default(false),
    user_metadata: textMetadata,
  }),
  answer: promised,
});

export const tinkerWeightsSaveForSampler = defineEndpoint({
  ...tinker,
  method: 'POST',
  path: '/api/v1/save_weights_for_sampler',
  name: 'Save Tinker Sampler Weights',
  description:
    'Saves weights to sample from, as `tinker://RUN/sampler_weights/NAME`. They are also a checkpoint of the trained model, served ' +
    'by all other endpoints at once. Without `path`, only the sampler that is created uses them.',
  body: z.object({
    ...saved,
    path: optional(text()),
    sampling_session_seq_id: optional(int()),
    kind: z.enum(['snapshot', 'inflight']).default('snapshot'),
    user_metadata: textMetadata,
  }),
  answer: promised,
});

export const tinkerWeightsSaveExternal = defineEndpoint({
  ...tinker,
  method: 'POST',
  path: '/api/v1/save_weights_external',
  name: 'Save Tinker Weights to Download',
  description: 'Saves weights to download as a PEFT adapter, as `tinker://RUN/external_weights/NAME`.',
  body: z.object({ ...saved, path: text(), age_encryption_recipients: optional(z.array(text())) }),
  answer: promised,
});

export const tinkerWeightsLoad = defineEndpoint({
  ...tinker,
  method: 'POST',
  path: '/api/v1/load_weights',
  name: 'Load Tinker Weights',
  description:
    'Loads saved weights, with or without the state of the optimizer: into a model, or with `session_id` and `model_seq_id` into a ' +
    'new one.',
  body: z.object({
    model_id: optional(id),
    seq_id: seqId,
    session_id: optional(id),
    model_seq_id: optional(int()),
    base_model: optional(text()),
    user_metadata: metadata,
    path: text(),
    optimizer: bool().default(false),
  }),
  answer: promised,
});

export const tinkerWeightsInfo = defineEndpoint({
  ...tinker,
  method: 'POST',
  path: '/api/v1/weights_info',
  name: 'Read Tinker Weights',
  description: 'What a model must be to load saved weights.',
  body: z.object({ tinker_path: text() }),
  answer: {
    kind: 'json',
    schema: z
      .object({
        base_model: z.string(),
        is_lora: z.boolean(),
        lora_rank: int(),
        train_unembed: z.boolean(),
        train_mlp: z.boolean(),
        train_attn: z.boolean(),
      })
      .meta({ id: 'TinkerWeightsInfo' }),
  },
});
