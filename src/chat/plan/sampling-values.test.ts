import { expect, test } from 'vitest';
import { checkChoices, type RequestedSampling, samplingValues } from './sampling-values.ts';
import { allowedTokenIdsOf, badWordsOf, logitBiasOf, stopStringsOf, stopTokenIdsOf } from './token-constraints.ts';

const refused = (param: string) => expect.objectContaining({ kind: 'invalidInput', extra: { param } });

test('takes values from the request, then the model, then neutral ones', () => {
  const values = samplingValues({ temperature: 0.3, top_p: null }, { temperature: 0.7, top_p: 0.9, n: 5 });
  expect(values).toMatchObject({ temperature: 0.3, top_p: 0.9, min_p: 0, n: 1 });
});

test.each<[RequestedSampling, string, string]>([
  [{ temperature: -0.1 }, 'temperature', '[chat 83]'],
  [{ temperature: Number.POSITIVE_INFINITY }, 'temperature', '[chat 83]'],
  [{ top_p: 0 }, 'top_p', '[chat 85]'],
  [{ top_p: 1.1 }, 'top_p', '[chat 85]'],
  [{ top_p: -1 }, 'top_p', '[chat 85]'],
  [{ top_k: -2 }, 'top_k', '[chat 86]'],
  [{ min_p: 1.1 }, 'min_p', '[chat 87]'],
  [{ presence_penalty: 2.1 }, 'presence_penalty', '[chat 91]'],
  [{ presence_penalty: -2.1 }, 'presence_penalty', '[chat 91]'],
  [{ repetition_penalty: 0 }, 'repetition_penalty', '[chat 92]'],
  [{ n: 0 }, 'n', '[chat 99]'],
  [{ n: 100_000_000 }, 'n', '[chat 99]'],
])('rejects %o for its %s %s', (requested, param, _tag) => {
  expect(() => samplingValues(requested)).toThrow(refused(param));
});

test('top_k 0 and -1 mean off [chat 86]', () => {
  expect([samplingValues({ top_k: 0 }).top_k, samplingValues({ top_k: -1 }).top_k]).toEqual([0, 0]);
});

test('rejects several greedy choices, except with beams [chat 78]', () => {
  const values = samplingValues({ temperature: 0, n: 2 });
  expect(() => checkChoices(values, false)).toThrow(/greedy/);
  expect(() => checkChoices(values, true)).not.toThrow();
});

test('clamps a bias to ±100 [chat 94]', () => {
  expect(logitBiasOf({ '65': 1000, '66': -1000, '67': 1.5 }, 100)).toEqual([
    [65, 100],
    [66, -100],
    [67, 1.5],
  ]);
});

test('rejects bias keys that are not token ids [chat 95]', () => {
  expect(() => logitBiasOf({ x: 1 }, 100)).toThrow(refused('logit_bias'));
  expect(() => logitBiasOf({ '999999': 1 }, 49152)).toThrow(/49152/);
});

test('allowed ids must exist [chat 96]', () => {
  expect(() => allowedTokenIdsOf([], 10)).toThrow(refused('allowed_token_ids'));
  expect(() => allowedTokenIdsOf([-1], 10)).toThrow(refused('allowed_token_ids'));
  expect(() => stopTokenIdsOf([10], 10)).toThrow(refused('stop_token_ids'));
  expect(stopTokenIdsOf([1, 1, 2], 10)).toEqual([1, 2]);
});

test('bans bad words with and without a leading space [chat 98]', () => {
  const ids: Record<string, number[]> = { x: [1], ' x': [2], 'y z': [3, 4], ' y z': [5, 6, 7], '': [] };
  const encode = (text: string) => ids[text] ?? [];
  expect(badWordsOf([' x'], encode)).toEqual([[1], [2]]);
  expect(badWordsOf(['y z'], encode)).toEqual([[3, 4]]);
  expect(() => badWordsOf([''], encode)).toThrow(refused('bad_words'));
  expect(() => badWordsOf(['  '], encode)).toThrow(refused('bad_words'));
});

test('rejects an empty stop string [chat 110]', () => {
  expect(() => stopStringsOf([''])).toThrow(refused('stop'));
  expect(stopStringsOf('x')).toEqual(['x']);
});
