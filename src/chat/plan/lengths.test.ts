import { expect, test } from 'vitest';
import { type LengthFields, requestedTokens, tokensToGenerate, truncatedPrompt } from './lengths.ts';

const context = 100;
const tokens = (fields: LengthFields, promptLength = 10) => tokensToGenerate(fields, promptLength, context);
const refused = (param: string, message = /./) =>
  expect.objectContaining({ name: 'BadRequest', param, message: expect.stringMatching(message) });

test('64 65 max_completion_tokens stands above max_tokens, null is absent', () => {
  expect(tokens({ max_tokens: 5, max_completion_tokens: 2 })).toBe(2);
  expect(tokens({ max_tokens: 2, max_completion_tokens: null })).toBe(2);
});

test('66 neither leaves the rest of the context, or what the model sets', () => {
  expect(tokens({})).toBe(90);
  expect(tokensToGenerate({}, 10, context, 20)).toBe(20);
});

test('67 68 numbers out of bounds are refused', () => {
  expect(() => tokens({ max_tokens: 0 })).toThrow(refused('max_tokens'));
  expect(() => tokens({ max_completion_tokens: -1 })).toThrow(refused('max_completion_tokens'));
  expect(() => tokens({ max_tokens: 101 })).toThrow(refused('max_tokens'));
});

test('69 70 prompt and answer must fit', () => {
  expect(tokens({ max_tokens: 90 })).toBe(90);
  expect(() => tokens({ max_tokens: 91 })).toThrow(refused('input_tokens', /context length/));
  expect(() => tokens({}, 100)).toThrow(refused('input_tokens', /context length/));
});

const prompt = Array.from({ length: 200 }, (_, index) => index);

test('71 the last tokens of the prompt are kept', () => {
  expect(truncatedPrompt(prompt, 4, 8, context)).toEqual([196, 197, 198, 199]);
  expect(truncatedPrompt([1, 2], 4, 8, context)).toEqual([1, 2]);
});

test('72 -1 makes the prompt fit', () => {
  const requested = requestedTokens({ max_tokens: 8 }, context);
  expect(truncatedPrompt(prompt, -1, requested!.tokens, context)).toHaveLength(92);
  expect(requestedTokens({}, context)).toBeNull();
});

test('73 nothing left, and more than fits, are refused', () => {
  expect(truncatedPrompt(prompt, 0, 8, context)).toEqual([]);
  expect(() => tokens({ max_tokens: 8 }, 0)).toThrow(refused('truncate_prompt_tokens'));
  expect(() => truncatedPrompt(prompt, 101, 0, context)).toThrow(refused('truncate_prompt_tokens'));
});

test('75 min_tokens within what may come', () => {
  expect(() => tokens({ min_tokens: 9, max_tokens: 8 })).toThrow(refused('min_tokens'));
  expect(() => tokens({ min_tokens: -1 })).toThrow(refused('min_tokens'));
  expect(tokens({ min_tokens: 8, max_tokens: 8 })).toBe(8);
});
