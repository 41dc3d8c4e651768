import { z } from 'zod';
import { finishReason, promptLogprob, stopReason, usage } from '../chat/completion.ts';

/** One entry for each token. With `echo`, those of the prompt come first; the first of all has no logprob. */
const textLogprobs = z.object({
  tokens: z.array(z.string()),
  token_logprobs: z.array(z.number().nullable()),
  /** The most likely tokens and the one that was chosen, with their logprobs. */
  top_logprobs: z.array(z.record(z.string(), z.number()).nullable()),
  /** The start of each token in the text, in code points. */
  text_offset: z.array(z.int()),
});

const choice = z.object({
  index: z.int(),
  text: z.string(),
  logprobs: textLogprobs.nullable(),
  finish_reason: finishReason,
  stop_reason: stopReason,
  token_ids: z.array(z.int()).nullable(),
  prompt_logprobs: z.array(promptLogprob.nullable()).nullable(),
  prompt_token_ids: z.array(z.int()).nullable(),
});

export const textCompletion = z
  .object({
    id: z.string(),
    object: z.literal('text_completion'),
    /** Seconds since 1970. */
    created: z.int(),
    model: z.string(),
    /** The choices of the first prompt, then those of the second, and so on. */
    choices: z.array(choice),
    service_tier: z.null(),
    system_fingerprint: z.string().nullable(),
    usage,
    kv_transfer_params: z.null(),
  })
  .meta({ id: 'Completion' });

/** One frame of a stream. */
export const textCompletionChunk = z
  .object({
    id: z.string(),
    object: z.literal('text_completion'),
    created: z.int(),
    model: z.string(),
    choices: z.array(
      z.object({
        index: z.int(),
        text: z.string(),
        logprobs: textLogprobs.nullable(),
        finish_reason: finishReason.nullable(),
        stop_reason: stopReason.optional(),
        token_ids: z.array(z.int()).nullable().optional(),
        prompt_token_ids: z.array(z.int()).optional(),
      }),
    ),
    usage: usage.optional(),
  })
  .meta({ id: 'CompletionChunk' });

export type TextCompletion = z.output<typeof textCompletion>;
export type TextChoice = z.output<typeof choice>;
export type TextChunk = z.output<typeof textCompletionChunk>;
export type TextLogprobs = z.output<typeof textLogprobs>;
