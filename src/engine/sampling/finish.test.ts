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

test('the end-of-text token stops without a stop reason [chat 100]', () => {
  expect(finish([1, 2, eos])).toEqual({ finishReason: 'stop', stopReason: null });
});

test('ignore_eos continues past the end-of-text token [chat 101]', () => {
  expect(finish([1, 2, eos], { ignoreEos: true })).toBeNull();
});

test('reports a stop token as the stop reason [chat 102]', () => {
  expect(finish([1, 2], { stopTokenIds: new Set([2]) })).toEqual({ finishReason: 'stop', stopReason: 2 });
});

test('end-of-text as a stop token has no stop reason, unless ignore_eos is set [chat 103]', () => {
  const stopTokenIds = new Set([eos]);
  expect(finish([eos], { stopTokenIds })?.stopReason).toBeNull();
  expect(finish([eos], { stopTokenIds, ignoreEos: true })?.stopReason).toBe(eos);
});

test('max_tokens and the context length finish with `length` [chat 63]', () => {
  expect(finish([1, 2, 3], { maxTokens: 3 })).toEqual({ finishReason: 'length', stopReason: null });
  expect(finish([1, 2, 3], { contextLength: 8 }, 5)?.finishReason).toBe('length');
});

const ab = [1, 2, 1, 2, 1, 2];

test('detects three copies of a pair at the sixth token [chat 113]', () => {
  const repetition = { max_pattern_size: 5, min_pattern_size: 2, min_count: 3 };
  expect(finish(ab, { repetition })).toEqual({ finishReason: 'repetition', stopReason: 'repetition_detected' });
  expect(finish(ab.slice(0, 5), { repetition })).toBeNull();
});

test('does not detect a repetition before min_tokens, of a shorter pattern, or of fewer copies [chat 114]', () => {
  const repetition = { max_pattern_size: 5, min_pattern_size: 2, min_count: 3 };
  expect(finish(ab, { repetition, minTokens: 10 })).toBeNull();
  expect(isDetected(ab, { ...repetition, min_pattern_size: 3 })).toBe(false);
  expect(isDetected(ab, { ...repetition, min_count: 5 })).toBe(false);
});

test('end-of-text takes precedence over a repetition [chat 115]', () => {
  const repetition = { max_pattern_size: 5, min_pattern_size: 1, min_count: 2 };
  expect(finish([eos, eos], { repetition })?.finishReason).toBe('stop');
});

test('detects nothing when repetition detection is off [chat 116]', () => {
  expect(isDetected(ab, { max_pattern_size: 0, min_pattern_size: 0, min_count: 0 })).toBe(false);
});
