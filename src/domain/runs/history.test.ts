import { expect, test } from 'vitest';
import { columnOf, parseHistoryRow, withTextForNonFinite, writeHistoryRow } from './history.ts';
import { HistoryKeyCounter } from './history-keys.ts';
import { isLike } from './like.ts';

test('keeps NaN and infinities, and strings that look like them', () => {
  const line = '{"a":NaN,"b":[-Infinity,{"c":Infinity}],"text":"NaN \\"Infinity\\"","n":null}';
  const row = parseHistoryRow(line)!;
  expect(row).toEqual({
    a: Number.NaN,
    b: [Number.NEGATIVE_INFINITY, { c: Number.POSITIVE_INFINITY }],
    text: 'NaN "Infinity"',
    n: null,
  });
  expect(writeHistoryRow(row)).toBe(line);
  expect(withTextForNonFinite(row)).toEqual({
    a: 'NaN',
    b: ['-Infinity', { c: 'Infinity' }],
    text: 'NaN "Infinity"',
    n: null,
  });
});

test('a column may be inside an object', () => {
  const row = { 'a.b': 1, eval: { acc: 2, 'x.y': 3 } };
  expect(['a.b', 'eval.acc', 'eval.x.y', 'eval.none', 'none'].map((name) => columnOf(row, name))).toEqual([
    1,
    2,
    3,
    undefined,
    undefined,
  ]);
});

test('counts the values of each column by type, with the last one', () => {
  const counter = new HistoryKeyCounter();
  for (const [step, loss] of [3, 2, 'n/a'].entries()) {
    counter.add({ _step: step, loss, dict: { val1: step }, image: { _type: 'image-file', path: 'a.png' } });
  }
  expect(counter.result()).toEqual({
    lastStep: 2,
    sets: [],
    keys: {
      _step: { typeCounts: [{ type: 'number', count: 3 }], monotonic: true, previousValue: 2 },
      loss: {
        typeCounts: [
          { type: 'number', count: 2 },
          { type: 'string', count: 1 },
        ],
        monotonic: false,
        previousValue: 'n/a',
      },
      'dict.val1': { typeCounts: [{ type: 'number', count: 3 }], monotonic: true, previousValue: 2 },
      image: {
        typeCounts: [{ type: 'image-file', count: 3 }],
        monotonic: false,
        previousValue: { _type: 'image-file', path: 'a.png' },
      },
    },
  });
});

test.each([
  ['wandb-summary.json', '%.json', true],
  ['wandb-summary.json', 'wandb%', true],
  ['wandb-summary.json', '%summary%json', true],
  ['wandb-summary.json', 'summary%', false],
  ['a.txt', '_.txt', true],
  ['a%b', 'a\\%b', true],
  ['axb', 'a\\%b', false],
  ['', '%', true],
])('%s matches the pattern %s: %s', (text, pattern, expected) => {
  expect(isLike(text, pattern)).toBe(expected);
});
