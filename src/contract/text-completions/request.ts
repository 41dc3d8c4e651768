import { z } from 'zod';
import { contradictions } from '../chat/contradictions.ts';
import { generationFields } from '../chat/generation-fields.ts';
import { bool, int, optional } from '../wire.ts';
import { prompts } from './prompts.ts';

const defaultTokens = 16;

/** The fields of `/v1/chat/completions` that need no messages, and those of the older interface. */
export const textCompletionRequest = z
  .object({
    prompt: prompts('prompt'),
    ...generationFields,
    max_tokens: int().nullable().default(defaultTokens),
    /** How many outputs are generated, of which the `n` best are returned. */
    best_of: optional(int()),
    logprobs: optional(int()),
    suffix: optional(z.string()),
    /** Rejected. */
    prompt_embeds: z.unknown().meta({ type: 'null' }).optional(),
    add_special_tokens: bool().default(true),
  })
  .superRefine((request, context) => {
    const own = { logprobs: true, top_logprobs: request.logprobs, continue_final_message: false };
    for (const { path, message } of contradictions({ ...request, ...own })) {
      const params = { type: 'value_error' };
      const isOfLogprobs = message.startsWith('top_logprobs '); // the field has another name in chats
      const named = isOfLogprobs
        ? { path: ['logprobs'], message: `Value error, ${message.slice('top_'.length)}` }
        : { path, message: `Value error, ${message}` };
      context.addIssue({ code: 'custom', ...named, params, input: null });
    }
  })
  .meta({ id: 'CompletionRequest' });

export type TextCompletionRequest = z.output<typeof textCompletionRequest>;
