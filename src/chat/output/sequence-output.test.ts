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

test('the text ends before the end-of-text token, the ids include it [chat 100]', () => {
  const { text, finish, ids } = say(['a', 'b', eos, 'c']);
  expect({ text, finish, count: ids.length }).toEqual({
    text: 'ab',
    finish: { finishReason: 'stop', stopReason: null },
    count: 3,
  });
});

test('hides a stop token, or shows it on request [chat 102 104]', () => {
  const stopTokenIds = new Set([id('b')]);
  expect(say(['a', 'b', 'c'], { stopTokenIds })).toMatchObject({ text: 'a', finish: { stopReason: id('b') } });
  expect(say(['a', 'b', 'c'], { stopTokenIds, includesStop: true }).text).toBe('ab');
});

test('shows an end-of-text token if special tokens and the stop are shown [chat 148]', () => {
  expect(say(['a', eos], { includesStop: true, skipSpecialTokens: false }).text).toBe('a<|im_end|>');
  expect(say(['a', eos], { includesStop: true }).text).toBe('a');
});

test('a stop string over several tokens takes precedence over the length limit [chat 105 108]', () => {
  const { text, finish, ids } = say([...'Hello wor'], { stopStrings: ['lo w'], maxTokens: 7 });
  expect({ text, finish }).toEqual({ text: 'Hel', finish: { finishReason: 'stop', stopReason: 'lo w' } });
  expect(ids.length).toBe(7);
});

test('looks for a stop string in the last token, but not after a stop token [chat 108]', () => {
  expect(looksForStopStrings([1, 2, 3], { finishReason: 'length', stopReason: null }, 0)).toBe(true);
  expect(looksForStopStrings([1], { finishReason: 'stop', stopReason: null }, 0)).toBe(false);
  expect(looksForStopStrings([1], null, 2)).toBe(false);
});

test('releases all held text at the length limit [chat 63]', () => {
  expect(say([...'a ST'], { stopStrings: ['STOP'], maxTokens: 4 })).toMatchObject({
    text: 'a ST',
    finish: { finishReason: 'length' },
  });
});

test('ignores a stop string that ends before min_tokens, and finds a later one [chat 111]', () => {
  const { text, finish } = say([...'xabyabz'], { stopStrings: ['ab'], minTokens: 4 });
  expect([text, finish?.stopReason]).toEqual(['xaby', 'ab']);
});

test('finds a stop string that arrives byte by byte [chat 112]', () => {
  const bytes = tokenizer.encode('\u{1F98A}');
  expect(bytes.length).toBeGreaterThan(1);
  const { text, ids } = say(['a', ...bytes, 'b'], { stopStrings: ['\u{1F98A}'] });
  expect([text, ids.length]).toEqual(['a', 1 + bytes.length]);
});

test('shows a parser the special tokens it reads', () => {
  const text = (shownTokens: string[]) =>
    say(['a', tokenizer.idOf('<|im_start|>')!, 'b'], { shownTokens, maxTokens: 3 }).text;
  expect([text([]), text(['<|im_start|>'])]).toEqual(['ab', 'a<|im_start|>b']);
});

test('a sequence that is ended from outside releases its held text', () => {
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
