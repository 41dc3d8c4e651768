import { expect, test } from 'vitest';
import { ruleScorerSchema } from '../../domain/evaluations/rule-scorer.ts';
import { applyRule, type LocalRule } from './apply-rule.ts';

const apply = (rule: object, output: unknown, expected?: unknown) =>
  applyRule(ruleScorerSchema.parse(rule) as LocalRule, { output, expected });

test.each([
  ['Paris', 'Paris', {}, true],
  ['paris', 'Paris', {}, false],
  ['paris', 'Paris', { ignore_case: true }, true],
  [' Paris\n', 'Paris', { strip: true }, true],
  ['4', 4, {}, true],
  [{ a: [1, 2], b: null }, { b: null, a: [1, 2] }, {}, true],
  [{ a: 1 }, { a: 1, b: 2 }, {}, false],
  [[1, 2], [2, 1], {}, false],
  [null, null, {}, true],
])('exact_match compares %j with %j (%j): %s', (output, expected, options, score) => {
  expect(apply({ rule: 'exact_match', ...options }, output, expected)).toBe(score);
});

test.each([
  ['The capital is Paris.', 'Paris', {}, true],
  ['The capital is Paris.', 'paris', {}, false],
  ['The capital is Paris.', 'paris', { ignore_case: true }, true],
  ['Paris and Rome', ['Rome', 'Paris'], {}, true],
  ['Paris', ['Rome', 'Paris'], {}, false],
])('contains looks in %j for %j (%j): %s', (output, expected, options, score) => {
  expect(apply({ rule: 'contains', ...options }, output, expected)).toBe(score);
});

test.each([
  ['call 0123', { pattern: '\\d{4}' }, undefined, true],
  ['call 012', { pattern: '^\\d{4}$' }, undefined, false],
  ['ABC', { ignore_case: true }, 'b', true],
])('regex searches %j with %j (expected: %j): %s', (output, options, expected, score) => {
  expect(apply({ rule: 'regex', ...options }, output, expected)).toBe(score);
});

const schema = { type: 'object', required: ['city'], properties: { city: { type: 'string' } } };

test.each([
  ['{"city": "Paris"}', true],
  [{ city: 'Paris' }, true],
  ['{"city": 1}', false],
  ['no JSON', false],
])('json_schema checks %j: %s', (output, score) => {
  expect(apply({ rule: 'json_schema', json_schema: schema }, output)).toBe(score);
  expect(apply({ rule: 'json_schema' }, output, schema)).toBe(score);
});

test.each([
  ['The answer is 42.', 42, {}, true],
  ['First 7, then 42', 42, {}, true],
  ['1,234,567', 1_234_567, {}, true],
  ['-1.5e3', '-1500', {}, true],
  [41.9, 42, {}, false],
  [41.9, 42, { tolerance: 0.2 }, true],
  [99, 100, { relative_tolerance: 0.02 }, true],
  ['none', 42, {}, false],
])('numeric compares %j with %j (%j): %s', (output, expected, options, score) => {
  expect(apply({ rule: 'numeric', ...options }, output, expected)).toBe(score);
});

test('text_similarity returns a number, and with a threshold whether it passes', () => {
  const rule = { rule: 'text_similarity' };
  expect(apply(rule, 'kitten', 'sitting')).toBeCloseTo(4 / 7);
  expect(apply(rule, '', '')).toBe(1);
  expect(apply(rule, 'abc', '')).toBe(0);
  expect(apply({ ...rule, metric: 'jaccard' }, 'abcd', 'dcba')).toBe(1);
  expect(apply({ ...rule, threshold: 0.5 }, 'kitten', 'sitting')).toEqual({
    similarity: expect.closeTo(4 / 7),
    passed: true,
  });
});

test.each([
  [{ rule: 'exact_match' }, 'a', undefined, 'the row has no column "expected"'],
  [{ rule: 'exact_match', column_map: { expected: 'answer' } }, 'a', undefined, 'the row has no column "answer"'],
  [{ rule: 'regex', pattern: '(' }, 'a', undefined, 'The pattern is invalid'],
  [{ rule: 'regex' }, 'a', 1, 'must be a regular expression'],
  [{ rule: 'json_schema', json_schema: { type: 'nothing' } }, 'a', undefined, 'The JSON Schema is invalid'],
  [{ rule: 'json_schema' }, 'a', 'b', 'must be a JSON Schema'],
  [{ rule: 'numeric' }, 1, 'many', 'must be a number'],
  [{ rule: 'text_similarity' }, 'a'.repeat(20_001), 'b', 'up to 20000 characters (found 20001)'],
])('rejects %j with a clear error', (rule, output, expected, message) => {
  expect(() => apply(rule, output, expected)).toThrow(message);
});
