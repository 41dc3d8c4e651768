import { expect, test } from 'vitest';
import { type FinishRules, finishOf } from '../../engine/sampling/finish.ts';
import { readJson } from '../testing/reference.ts';
import { Tokenizer } from '../tokenizer/tokenizer.ts';
import { looksForStopStrings, SequenceOutput, type TextRules } from './sequence-output.ts';

const tokenizer = new Tokenizer(readJson('tokenizers/smollm.json') as any);
const eos = tokenizer.idOf('<|im_end|>')!;
const id = (character: string) => tokenizer.encode(character)[0]!;
type Rules = FinishRules & TextRules;
const promptLength = 5;
const rules: Rules = {
  eosId: eos,
  ignoreEos: false,
  stopTokenIds: new Set(),
  minTokens: 0,
  maxTokens: 100,
  contextLength: 1000,
  repetition: null,
  stopStrings: [],
  includesStop: false,
  skipSpecialTokens: true,
};

test('100 the text ends before the end-of-text token, the ids with it', () => {
  const { text, finish, ids } = say(['a', 'b', eos, 'c']);
  expect({ text, finish, count: ids.length }).toEqual({
    text: 'ab',
    finish: { finishReason: 'stop', stopReason: null },
    count: 3,
  });
});

test('102 104 a stop token is hidden, or shown on request', () => {
  const stopTokenIds = new Set([id('b')]);
  expect(say(['a', 'b', 'c'], { stopTokenIds })).toMatchObject({ text: 'a', finish: { stopReason: id('b') } });
  expect(say(['a', 'b', 'c'], { stopTokenIds, includesStop: true }).text).toBe('ab');
});

test('148 an end-of-text token is shown when special tokens and the stop are', () => {
  expect(say(['a', eos], { includesStop: true, skipSpecialTokens: false }).text).toBe('a<|im_end|>');
  expect(say(['a', eos], { includesStop: true }).text).toBe('a');
});

test('105 108 a stop string over several tokens wins over the length the same token reached', () => {
  const { text, finish, ids } = say([...'Hello wor'], { stopStrings: ['lo w'], maxTokens: 7 });
  expect({ text, finish }).toEqual({ text: 'Hel', finish: { finishReason: 'stop', stopReason: 'lo w' } });
  expect(ids.length).toBe(7);
});

test('108 a stop string is still looked for on the last token, not after a stop token', () => {
  expect(looksForStopStrings([1, 2, 3], { finishReason: 'length', stopReason: null }, 0)).toBe(true);
  expect(looksForStopStrings([1], { finishReason: 'stop', stopReason: null }, 0)).toBe(false);
  expect(looksForStopStrings([1], null, 2)).toBe(false);
});

test('63 at the length everything held back is given out', () => {
  expect(say([...'a ST'], { stopStrings: ['STOP'], maxTokens: 4 })).toMatchObject({
    text: 'a ST',
    finish: { finishReason: 'length' },
  });
});

test('111 a stop string that ends before min_tokens is passed, a later one found', () => {
  const { text, finish } = say([...'xabyabz'], { stopStrings: ['ab'], minTokens: 4 });
  expect([text, finish?.stopReason]).toEqual(['xaby', 'ab']);
});

test('112 a stop string that comes in bytes is found when its character is complete', () => {
  const bytes = tokenizer.encode('\u{1F98A}');
  expect(bytes.length).toBeGreaterThan(1);
  const { text, ids } = say(['a', ...bytes, 'b'], { stopStrings: ['\u{1F98A}'] });
  expect([text, ids.length]).toEqual(['a', 1 + bytes.length]);
});

test('a parser sees the special tokens it reads', () => {
  const text = (shownTokens: string[]) =>
    say(['a', tokenizer.idOf('<|im_start|>')!, 'b'], { shownTokens, maxTokens: 3 }).text;
  expect([text([]), text(['<|im_start|>'])]).toEqual(['ab', 'a<|im_start|>b']);
});

test('a sequence that is ended from outside gives what it held', () => {
  const output = new SequenceOutput(tokenizer, { ...rules, stopStrings: ['STOP'] });
  output.push(id('S'), null);
  expect(output.end()).toBe('S');
});

function say(tokens: (string | number)[], changes: Partial<Rules> = {}) {
  const all = { ...rules, ...changes };
  const output = new SequenceOutput(tokenizer, all);
  let text = '';
  for (const token of tokens) {
    const next = typeof token === 'number' ? token : id(token);
    const step = output.push(next, finishOf([...output.ids, next], promptLength, all));
    text += step.text;
    if (step.finish) return { text, finish: step.finish, ids: output.ids };
  }
  return { text, finish: null, ids: output.ids };
}
