import { lax, problem } from '../wire.ts';

/** One prompt: text, or the ids of its tokens. */
export type PromptInput = string | number[];

/** A text, token ids, or a list of either. @param field for messages */
export function prompts(field: string) {
  return lax<PromptInput[], string | string[] | number[] | number[][]>(
    'string',
    (value) => {
      if (typeof value === 'string') return [value];
      if (!Array.isArray(value)) return problem('string_type', 'Input should be a valid string or a list');
      if (value.length === 0) return problem('value_error', `Value error, ${field} must not be empty`);
      if (isIds(value)) return [value];
      if (value.every((each) => typeof each === 'string' || isIds(each))) return value as PromptInput[];
      return problem('list_type', 'Input should be a string, token ids, or a list of strings or of lists of token ids');
    },
    {
      type: ['string', 'array'],
      items: { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'array', items: { type: 'integer' } }] },
    },
  );
}

function isIds(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((each) => Number.isInteger(each));
}
