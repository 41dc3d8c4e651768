import type { CompletionChunk } from './wire.ts';

/**
 * Whether a value is a chunk of the usual form: tokens without logprobs of the prompt. Each token comes with a chunk, and this takes a
 * fraction of the time that the schema takes. Other chunks may be valid, too: the schema decides.
 */
export function isTokenChunk(value: unknown): value is CompletionChunk {
  const { choices, usage } = (value ?? {}) as { choices?: unknown; usage?: unknown };
  return Array.isArray(choices) && (usage ?? null) === null && choices.every(isTokenChoice);
}

type AnyChoice = { [Key in keyof CompletionChunk['choices'][number]]?: unknown };

function isTokenChoice(choice: AnyChoice | null): boolean {
  if (choice === null) return false;
  const { index, text, token_ids, finish_reason, stop_reason, logprobs, prompt_token_ids, prompt_logprobs } = choice;
  return (
    Number.isSafeInteger(index) &&
    typeof text === 'string' &&
    isListOf(token_ids, Number.isSafeInteger) &&
    isAbsentOr(finish_reason, isString) &&
    isAbsentOr(stop_reason, isText) &&
    isAbsentOr(logprobs, isTokenLogprobs) &&
    isAbsentOr(prompt_token_ids, isIds) &&
    (prompt_logprobs ?? null) === null
  );
}

function isTokenLogprobs(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { tokens, token_logprobs, top_logprobs } = value as Record<string, unknown>;
  return isListOf(tokens, isString) && isListOf(token_logprobs, isLogprob) && isAbsentOr(top_logprobs, isRankings);
}

const isString = (value: unknown) => typeof value === 'string';
const isText = (value: unknown) => typeof value === 'string' || Number.isSafeInteger(value);
const isLogprob = (value: unknown) => value === null || Number.isFinite(value);
const isIds = (value: unknown) => isListOf(value, Number.isSafeInteger);
const isRankings = (value: unknown) => isListOf(value, (each) => each === null || isRanking(each));

function isRanking(value: unknown): boolean {
  if (typeof value !== 'object' || Array.isArray(value)) return false;
  for (const key in value) if (!Number.isFinite((value as Record<string, unknown>)[key])) return false;
  return true;
}

function isAbsentOr(value: unknown, is: (value: unknown) => boolean): boolean {
  return value === null || value === undefined || is(value);
}

function isListOf(value: unknown, is: (element: unknown) => boolean): boolean {
  if (!Array.isArray(value)) return false;
  for (const element of value) if (!is(element)) return false;
  return true;
}
