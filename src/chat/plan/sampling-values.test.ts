import { expect, test } from 'vitest';
import { checkChoices, samplingValues } from './sampling-values.ts';
import { allowedTokenIdsOf, badWordsOf, logitBiasOf, stopStringsOf, stopTokenIdsOf } from './token-constraints.ts';

const refused = (param: string) => expect.objectContaining({ name: 'BadRequest', param });

test('request, then model, then neutral', () => {
  const values = samplingValues({ temperature: 0.3, top_p: null }, { temperature: 0.7, top_p: 0.9, n: 5 });
  expect(values).toMatchObject({ temperature: 0.3, top_p: 0.9, min_p: 0, n: 1 });
});

test.each([
  ['83', { temperature: -0.1 }, 'temperature'],
  ['83', { temperature: Number.POSITIVE_INFINITY }, 'temperature'],
  ['85', { top_p: 0 }, 'top_p'],
  ['85', { top_p: 1.1 }, 'top_p'],
  ['85', { top_p: -1 }, 'top_p'],
  ['86', { top_k: -2 }, 'top_k'],
  ['87', { min_p: 1.1 }, 'min_p'],
  ['91', { presence_penalty: 2.1 }, 'presence_penalty'],
  ['91', { presence_penalty: -2.1 }, 'presence_penalty'],
  ['92', { repetition_penalty: 0 }, 'repetition_penalty'],
  ['99', { n: 0 }, 'n'],
  ['99', { n: 100_000_000 }, 'n'],
])('%s %o is refused', (_row, requested, param) => {
  expect(() => samplingValues(requested)).toThrow(refused(param));
});

test('86 top_k 0 and -1 are off', () => {
  expect([samplingValues({ top_k: 0 }).top_k, samplingValues({ top_k: -1 }).top_k]).toEqual([0, 0]);
});

test('78 several greedy choices are refused, but not with beams', () => {
  const values = samplingValues({ temperature: 0, n: 2 });
  expect(() => checkChoices(values, false)).toThrow(/greedy/);
  expect(() => checkChoices(values, true)).not.toThrow();
});

test('94 a bias is kept within 100', () => {
  expect(logitBiasOf({ '65': 1000, '66': -1000, '67': 1.5 }, 100)).toEqual([
    [65, 100],
    [66, -100],
    [67, 1.5],
  ]);
});

test('95 bias keys that are no token are refused', () => {
  expect(() => logitBiasOf({ x: 1 }, 100)).toThrow(refused('logit_bias'));
  expect(() => logitBiasOf({ '999999': 1 }, 49152)).toThrow(/49152/);
});

test('96 allowed ids must exist', () => {
  expect(() => allowedTokenIdsOf([], 10)).toThrow(refused('allowed_token_ids'));
  expect(() => allowedTokenIdsOf([-1], 10)).toThrow(refused('allowed_token_ids'));
  expect(() => stopTokenIdsOf([10], 10)).toThrow(refused('stop_token_ids'));
  expect(stopTokenIdsOf([1, 1, 2], 10)).toEqual([1, 2]);
});

test('98 bad words are banned with and without a space before them', () => {
  const ids: Record<string, number[]> = { x: [1], ' x': [2], 'y z': [3, 4], ' y z': [5, 6, 7], '': [] };
  const encode = (text: string) => ids[text] ?? [];
  expect(badWordsOf([' x'], encode)).toEqual([[1], [2]]);
  expect(badWordsOf(['y z'], encode)).toEqual([[3, 4]]);
  expect(() => badWordsOf([''], encode)).toThrow(refused('bad_words'));
  expect(() => badWordsOf(['  '], encode)).toThrow(refused('bad_words'));
});

test('110 an empty stop string is refused', () => {
  expect(() => stopStringsOf([''])).toThrow(refused('stop'));
  expect(stopStringsOf('x')).toEqual(['x']);
});
