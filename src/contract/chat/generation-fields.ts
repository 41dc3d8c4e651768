import { z } from 'zod';
import { bool, int, lax, optional, problem } from '../wire.ts';
import { number, optionalInt64, optionalNumber } from './numbers.ts';
import { repetitionDetection, responseFormat, structuredOutputs } from './output-constraints.ts';

const stopStringsMax = 128;

/** Values for extensions: strings, numbers, or lists of them. */
const extension = lax('string', (value) => {
  const plain = (each: unknown) => typeof each === 'string' || typeof each === 'number';
  if (typeof value === 'boolean') return Number(value);
  if (plain(value) || (Array.isArray(value) && value.every(plain)))
    return value as string | number | (string | number)[];
  return problem('string_type', 'Input should be a valid string, a number or a list of these');
});

export const anyObject = z.record(z.string(), z.unknown());

/** The fields of every request that generates text, whatever its prompt. Unknown fields are ignored. */
export const generationFields = {
  model: optional(z.string()),
  frequency_penalty: optionalNumber(),
  logit_bias: optional(z.record(z.string(), number())),
  max_tokens: optional(int()),
  n: optional(int()),
  presence_penalty: optionalNumber(),
  response_format: optional(responseFormat),
  seed: optionalInt64(),
  stop: z.union([z.array(z.string()).max(stopStringsMax), z.string(), z.null()]).default([]),
  stream: optional(bool()),
  stream_options: optional(
    z.looseObject({ include_usage: bool().nullish(), continuous_usage_stats: bool().nullish() }),
  ),
  temperature: optionalNumber(),
  top_p: optionalNumber(),
  user: optional(z.string()),
  use_beam_search: bool().default(false),
  top_k: optional(int()),
  min_p: optionalNumber(),
  repetition_penalty: optionalNumber(),
  length_penalty: number().default(1),
  stop_token_ids: optional(z.array(int())),
  include_stop_str_in_output: bool().default(false),
  ignore_eos: bool().default(false),
  min_tokens: int().default(0),
  skip_special_tokens: bool().default(true),
  spaces_between_special_tokens: bool().default(true),
  truncate_prompt_tokens: optionalInt64(-1n).transform((tokens) => (tokens === null ? null : Number(tokens))),
  prompt_logprobs: optional(int()),
  allowed_token_ids: optional(z.array(int())),
  bad_words: z.array(z.string()).default([]),
  echo: bool().default(false),
  structured_outputs: optional(structuredOutputs),
  priority: int().default(0),
  request_id: z.string().optional(),
  return_tokens_as_token_ids: optional(bool()),
  return_token_ids: optional(bool()),
  cache_salt: optional(z.string()),
  kv_transfer_params: optional(anyObject),
  engine_xargs: optional(z.record(z.string(), extension)),
  vllm_xargs: optional(z.record(z.string(), extension)),
  repetition_detection: optional(repetitionDetection),
};

const generationRequest = z.object(generationFields);

export type GenerationFields = z.output<typeof generationRequest>;
