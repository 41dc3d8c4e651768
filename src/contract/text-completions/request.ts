import { z } from 'zod';
import { contradictions } from '../chat/contradictions.ts';
import { generationFields } from '../chat/generation-fields.ts';
import { bool, int, lax, optional, problem } from '../wire.ts';

/** One prompt: text, or the ids of its tokens. */
type Prompt = string | number[];

const defaultTokens = 16;

/** A text, token ids, or a list of either. */
const prompt = lax<Prompt[], string | string[] | number[] | number[][]>(
  'string',
  (value) => {
    if (typeof value === 'string') return [value];
    if (!Array.isArray(value)) return problem('string_type', 'Input should be a valid string or a list');
    if (value.length === 0) return problem('value_error', 'Value error, prompt must not be empty');
    if (isIds(value)) return [value];
    if (value.every((each) => typeof each === 'string' || isIds(each))) return value as Prompt[];
    return problem('list_type', 'Input should be a string, token ids, or a list of strings or of lists of token ids');
  },
  {
    type: ['string', 'array'],
    items: { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'array', items: { type: 'integer' } }] },
  },
);

function isIds(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((each) => Number.isInteger(each));
}

/** The fields of `/v1/chat/completions` that need no messages, and those of the older interface. */
export const textCompletionRequest = z
  .object({
    prompt,
    ...generationFields,
    max_tokens: int().nullable().default(defaultTokens),
    /** How many answers are generated, of which the `n` best are returned. */
    best_of: optional(int()),
    logprobs: optional(int()),
    suffix: optional(z.string()),
    /** Refused. */
    prompt_embeds: z.unknown().meta({ type: 'null' }).optional(),
    add_special_tokens: bool().default(true),
  })
  .superRefine((request, context) => {
    const own = { logprobs: true, top_logprobs: request.logprobs, continue_final_message: false };
    for (const { path, message } of contradictions({ ...request, ...own })) {
      const params = { type: 'value_error' };
      context.addIssue({ code: 'custom', path, message: `Value error, ${message}`, params, input: null });
    }
  })
  .meta({ id: 'CompletionRequest' });

export type TextCompletionRequest = z.output<typeof textCompletionRequest>;
