import { expect, test } from 'vitest';
import { type FinishRules, finishOf } from './finish.ts';
import { isDetected } from './repetition.ts';

const eos = 9;
const rules: FinishRules = {
  eosId: eos,
  ignoreEos: false,
  stopTokenIds: new Set(),
  minTokens: 0,
  maxTokens: 100,
  contextLength: 100,
  repetition: null,
};
const finish = (output: number[], changes: Partial<FinishRules> = {}, promptLength = 0) =>
  finishOf(output, promptLength, { ...rules, ...changes });

test('100 the end-of-text token stops without a reason', () => {
  expect(finish([1, 2, eos])).toEqual({ finishReason: 'stop', stopReason: null });
});

test('101 ignore_eos goes on', () => {
  expect(finish([1, 2, eos], { ignoreEos: true })).toBeNull();
});

test('102 a stop token is the reason', () => {
  expect(finish([1, 2], { stopTokenIds: new Set([2]) })).toEqual({ finishReason: 'stop', stopReason: 2 });
});

test('103 end-of-text as a stop token has no reason, unless it is ignored', () => {
  const stopTokenIds = new Set([eos]);
  expect(finish([eos], { stopTokenIds })?.stopReason).toBeNull();
  expect(finish([eos], { stopTokenIds, ignoreEos: true })?.stopReason).toBe(eos);
});

test('63 max_tokens and the context end with length', () => {
  expect(finish([1, 2, 3], { maxTokens: 3 })).toEqual({ finishReason: 'length', stopReason: null });
  expect(finish([1, 2, 3], { contextLength: 8 }, 5)?.finishReason).toBe('length');
});

const ab = [1, 2, 1, 2, 1, 2];

test('113 three copies of a pair fire at the sixth token', () => {
  const repetition = { max_pattern_size: 5, min_pattern_size: 2, min_count: 3 };
  expect(finish(ab, { repetition })).toEqual({ finishReason: 'repetition', stopReason: 'repetition_detected' });
  expect(finish(ab.slice(0, 5), { repetition })).toBeNull();
});

test('114 min_tokens, a longer pattern and more copies do not fire', () => {
  const repetition = { max_pattern_size: 5, min_pattern_size: 2, min_count: 3 };
  expect(finish(ab, { repetition, minTokens: 10 })).toBeNull();
  expect(isDetected(ab, { ...repetition, min_pattern_size: 3 })).toBe(false);
  expect(isDetected(ab, { ...repetition, min_count: 5 })).toBe(false);
});

test('115 end-of-text on the firing token is a stop', () => {
  const repetition = { max_pattern_size: 5, min_pattern_size: 1, min_count: 2 };
  expect(finish([eos, eos], { repetition })?.finishReason).toBe('stop');
});

test('detects nothing when repetition detection is off [chat 116]', () => {
  expect(isDetected(ab, { max_pattern_size: 0, min_pattern_size: 0, min_count: 0 })).toBe(false);
});
