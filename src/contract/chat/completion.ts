import { z } from 'zod';

const tokenLogprob = z.object({ token: z.string(), logprob: z.number(), bytes: z.array(z.int()).nullable() });
const logprobs = z.object({ content: z.array(tokenLogprob.extend({ top_logprobs: z.array(tokenLogprob) })) });
const toolCall = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
});

/** `null` if a sequence ended by itself; otherwise the token or string that stopped it, or `repetition_detected`. */
export const stopReason = z.union([z.int(), z.string(), z.null()]);
export const finishReason = z.enum(['stop', 'length', 'repetition', 'tool_calls', 'abort']);

const message = z.object({
  role: z.string(),
  content: z.string().nullable(),
  refusal: z.null(),
  annotations: z.null(),
  audio: z.null(),
  function_call: z.null(),
  tool_calls: z.array(toolCall).optional(),
  reasoning: z.string().nullable(),
});

const choice = z.object({
  index: z.int(),
  message,
  logprobs: logprobs.nullable(),
  finish_reason: finishReason,
  stop_reason: stopReason,
  token_ids: z.array(z.int()).nullable(),
  /** For trained models: the prompt that was sampled from. Training clients send back choices, not whole responses. */
  prompt_token_ids: z.array(z.int()).optional(),
  /** For trained models: the sampling values that are not neutral. */
  sampling: z.record(z.string(), z.number()).optional(),
  /** For trained models: the call that records this chat. */
  call_id: z.string().optional(),
});

export const usage = z.object({
  prompt_tokens: z.int(),
  total_tokens: z.int(),
  completion_tokens: z.int(),
  prompt_tokens_details: z.object({ cached_tokens: z.int() }).nullable().optional(),
});

export const promptLogprob = z.record(
  z.string(),
  z.object({ logprob: z.number(), rank: z.int(), decoded_token: z.string() }),
);

export const chatCompletion = z
  .object({
    id: z.string(),
    object: z.literal('chat.completion'),
    /** Seconds since 1970. */
    created: z.int(),
    model: z.string(),
    choices: z.array(choice),
    service_tier: z.null(),
    /** `int8-activations` if the setting quantizedArithmetic is `fast` and the model's weights are quantized. */
    system_fingerprint: z.string().nullable(),
    usage,
    prompt_logprobs: z.array(promptLogprob.nullable()).nullable(),
    prompt_token_ids: z.array(z.int()).nullable(),
    kv_transfer_params: z.null(),
  })
  .meta({ id: 'ChatCompletion' });

const delta = z.object({
  role: z.string().optional(),
  content: z.string().nullable().optional(),
  reasoning: z.string().optional(),
  tool_calls: z.array(toolCall.partial().extend({ index: z.int() })).optional(),
});

const chunkChoice = z.object({
  index: z.int(),
  delta,
  logprobs: logprobs.nullable(),
  finish_reason: finishReason.nullable(),
  stop_reason: stopReason.optional(),
  token_ids: z.array(z.int()).nullable().optional(),
});

/** One frame of a stream. */
export const chatCompletionChunk = z
  .object({
    id: z.string(),
    object: z.literal('chat.completion.chunk'),
    created: z.int(),
    model: z.string(),
    choices: z.array(chunkChoice),
    usage: usage.optional(),
    prompt_token_ids: z.array(z.int()).nullable().optional(),
  })
  .meta({ id: 'ChatCompletionChunk' });

export type ChatCompletion = z.output<typeof chatCompletion>;
export type ChatChoice = z.output<typeof choice>;
export type ChatChunk = z.output<typeof chatCompletionChunk>;
export type ChatDelta = z.output<typeof delta>;
export type ChatUsage = z.output<typeof usage>;
