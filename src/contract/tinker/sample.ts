import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { bool, float, int, optional, text } from '../wire.ts';
import { modelInput } from './forward.ts';
import { id, promised, seqId, tinker } from './shared.ts';

const samplingParams = z.object({
  max_tokens: optional(int()),
  seed: optional(int()),
  /** Texts or token ids. Null: the model's own end of a text; an empty list: none. */
  stop: optional(z.union([z.string(), z.array(z.string()), z.array(int())])),
  temperature: float().default(1),
  top_k: int().default(-1),
  top_p: float().default(1),
});

export const tinkerSample = defineEndpoint({
  ...tinker,
  method: 'POST',
  path: '/api/v1/asample',
  name: 'Sample With Tinker Sampler',
  description:
    'Generates sequences, with the logprobs of their tokens and, if wanted, of the prompt. The request is kept as a call.',
  strictJson: true,
  keepsBytes: true,
  body: z.object({
    sampling_session_id: optional(id),
    seq_id: seqId,
    num_samples: int().default(1),
    prompt: modelInput,
    sampling_params: samplingParams,
    base_model: optional(text()),
    model_path: optional(text()),
    prompt_logprobs: optional(bool()),
    topk_prompt_logprobs: int().default(0),
    topk_sample_logprobs: int().default(0),
    prompt_logprobs_last_n: optional(int()),
    prompt_alt_tokens_k: int().default(0),
    target_prompt_logprobs: optional(z.looseObject({})),
    record_stability_info: optional(bool()),
  }),
  answer: promised,
});
