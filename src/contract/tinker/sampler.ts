import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { int, optional, text } from '../wire.ts';
import { id, tinker } from './shared.ts';

export const tinkerSampler = defineEndpoint({
  ...tinker,
  method: 'GET',
  path: '/api/v1/samplers/{sampler_id}',
  name: 'Read Tinker Sampler',
  description: 'What a sampler samples from.',
  params: z.object({ sampler_id: id }),
  answer: {
    kind: 'json',
    schema: z
      .object({ sampler_id: z.string(), base_model: z.string(), model_path: z.string().nullable() })
      .meta({ id: 'TinkerSampler' }),
  },
});

export const tinkerSamplerCreate = defineEndpoint({
  ...tinker,
  method: 'POST',
  path: '/api/v1/create_sampling_session',
  name: 'Create Tinker Sampler',
  description: 'A sampler of a base model, or of saved weights.',
  body: z.object({
    session_id: id,
    sampling_session_seq_id: int(),
    base_model: optional(text()),
    model_path: optional(text()),
  }),
  answer: {
    kind: 'json',
    schema: z
      .object({ type: z.literal('create_sampling_session'), sampling_session_id: z.string() })
      .meta({ id: 'TinkerSamplerCreated' }),
  },
});

export const tinkerSamplerJoin = defineEndpoint({
  ...tinker,
  method: 'POST',
  path: '/api/v1/join_sampling_session',
  name: 'Join Tinker Sampler',
  description:
    'Gives a copy of a sampling client a number of its own, so that its requests are not mistaken for those of others.',
  body: z.object({ sampling_session_id: id }),
  answer: {
    kind: 'json',
    schema: z
      .object({ type: z.literal('join_sampling_session'), client_counter: int() })
      .meta({ id: 'TinkerSamplerJoined' }),
  },
});
