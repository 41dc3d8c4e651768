import { invalidInput } from '../../util/failures.ts';

export type LengthFields = {
  max_tokens?: number | null;
  max_completion_tokens?: number | null;
  min_tokens?: number | null;
  truncate_prompt_tokens?: number | null;
};

/** The number of tokens requested: `max_completion_tokens` takes precedence over `max_tokens`. Null if neither is given. */
export function requestedTokens(
  fields: LengthFields,
  contextLength: number,
): { tokens: number; param: 'max_tokens' | 'max_completion_tokens' } | null {
  const param = fields.max_completion_tokens != null ? 'max_completion_tokens' : 'max_tokens';
  const tokens = fields[param];
  if (tokens == null) return null;
  if (tokens < 1) throw invalidInput(`${param} must be at least 1, got ${tokens}.`, { param });
  if (tokens > contextLength) {
    throw invalidInput(
      `${param} is ${tokens}, and this model's maximum context length is ${contextLength} tokens. Ask for fewer.`,
      { param },
    );
  }
  return { tokens, param };
}

/** The last tokens of a prompt, by `truncate_prompt_tokens`; −1 makes the prompt fit. */
export function truncatedPrompt(
  prompt: readonly number[],
  truncate: number | null | undefined,
  requested: number,
  contextLength: number,
): readonly number[] {
  if (truncate == null) return prompt;
  const room = contextLength - requested;
  checkTruncation(truncate, requested, contextLength);
  const kept = truncate === -1 ? room : truncate;
  return kept >= prompt.length ? prompt : kept === 0 ? [] : prompt.slice(-kept);
}

export function checkTruncation(truncate: number, requested: number, contextLength: number): void {
  const room = contextLength - requested;
  if (truncate > room) {
    throw invalidInput(
      `truncate_prompt_tokens must be at most ${room} (context length ${contextLength} less ${requested} output tokens), got ${truncate}.`,
      { param: 'truncate_prompt_tokens' },
    );
  }
}

/** How many tokens may be generated. A requested number is never reduced silently. */
export function tokensToGenerate(
  fields: LengthFields,
  promptLength: number,
  contextLength: number,
  modelMax: number | null = null,
): number {
  const requested = requestedTokens(fields, contextLength);
  if (promptLength === 0)
    throw invalidInput('The prompt is empty after truncation.', { param: 'truncate_prompt_tokens' });
  const room = contextLength - promptLength;
  if (requested ? requested.tokens > room : room < 1) {
    const asked = requested ? ` and asks for ${requested.tokens} more, ${promptLength + requested.tokens} in all` : '';
    throw invalidInput(
      `This model's maximum context length is ${contextLength} tokens. The prompt has ${promptLength}${asked}. Shorten the messages or ask for fewer tokens.`,
      { param: 'input_tokens' },
    );
  }
  const tokens = requested?.tokens ?? Math.min(room, modelMax ?? room);
  checkMinTokens(fields.min_tokens ?? 0, tokens);
  return tokens;
}

export function checkMinTokens(minTokens: number, maxTokens: number): void {
  if (minTokens >= 0 && minTokens <= maxTokens) return;
  throw invalidInput(`min_tokens must be from 0 to the ${maxTokens} tokens that may come, got ${minTokens}.`, {
    param: 'min_tokens',
  });
}
