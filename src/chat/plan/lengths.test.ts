import { expect, test } from 'vitest';
import { type LengthFields, requestedTokens, tokensToGenerate, truncatedPrompt } from './lengths.ts';

const context = 100;
const tokens = (fields: LengthFields, promptLength = 10) => tokensToGenerate(fields, promptLength, context);
const refused = (param: string, message = /./) =>
  expect.objectContaining({ kind: 'invalidInput', extra: { param }, message: expect.stringMatching(message) });

test('max_completion_tokens takes precedence over max_tokens, null means absent [chat 64 65]', () => {
  expect(tokens({ max_tokens: 5, max_completion_tokens: 2 })).toBe(2);
  expect(tokens({ max_tokens: 2, max_completion_tokens: null })).toBe(2);
});

test("without a number, allows the rest of the context or the model's own maximum [chat 66]", () => {
  expect(tokens({})).toBe(90);
  expect(tokensToGenerate({}, 10, context, 20)).toBe(20);
});

test('rejects numbers out of bounds [chat 67 68]', () => {
  expect(() => tokens({ max_tokens: 0 })).toThrow(refused('max_tokens'));
  expect(() => tokens({ max_completion_tokens: -1 })).toThrow(refused('max_completion_tokens'));
  expect(() => tokens({ max_tokens: 101 })).toThrow(refused('max_tokens'));
});

test('prompt and answer must fit into the context [chat 69 70]', () => {
  expect(tokens({ max_tokens: 90 })).toBe(90);
  expect(() => tokens({ max_tokens: 91 })).toThrow(refused('input_tokens', /context length/));
  expect(() => tokens({}, 100)).toThrow(refused('input_tokens', /context length/));
});

const prompt = Array.from({ length: 200 }, (_, index) => index);

test('keeps the last tokens of the prompt [chat 71]', () => {
  expect(truncatedPrompt(prompt, 4, 8, context)).toEqual([196, 197, 198, 199]);
  expect(truncatedPrompt([1, 2], 4, 8, context)).toEqual([1, 2]);
});

test('-1 truncates the prompt to fit [chat 72]', () => {
  const requested = requestedTokens({ max_tokens: 8 }, context);
  expect(truncatedPrompt(prompt, -1, requested!.tokens, context)).toHaveLength(92);
  expect(requestedTokens({}, context)).toBeNull();
});

test('rejects a truncation that leaves nothing or does not fit [chat 73]', () => {
  expect(truncatedPrompt(prompt, 0, 8, context)).toEqual([]);
  expect(() => tokens({ max_tokens: 8 }, 0)).toThrow(refused('truncate_prompt_tokens'));
  expect(() => truncatedPrompt(prompt, 101, 0, context)).toThrow(refused('truncate_prompt_tokens'));
});

test('min_tokens must not exceed the tokens that may be generated [chat 75]', () => {
  expect(() => tokens({ min_tokens: 9, max_tokens: 8 })).toThrow(refused('min_tokens'));
  expect(() => tokens({ min_tokens: -1 })).toThrow(refused('min_tokens'));
  expect(tokens({ min_tokens: 8, max_tokens: 8 })).toBe(8);
});
