import { describe, expect, test } from 'vitest';
import { diffLines, folded } from '../../web/src/components/diff/line-diff.ts';

const marks = { same: ' ', added: '+', removed: '-', skipped: '…' };
const shown = (before: string, after: string) =>
  diffLines([...before], [...after])
    .map(({ kind, text }) => marks[kind] + text)
    .join('');

describe('the difference of two texts', () => {
  test.each([
    ['abc', 'abc', ' a b c'],
    ['abc', 'axc', ' a-b+x c'],
    ['', 'ab', '+a+b'],
    ['ab', '', '-a-b'],
    ['abcdef', 'xbcyef', '-a+x b c-d+y e f'],
    ['aab', 'ab', ' a-a b'],
  ])('from %j to %j is %j', (before, after, expected) => {
    expect(shown(before, after)).toBe(expected);
  });

  test('keeps every line of both texts, also where they are too long to compare', () => {
    const before = Array.from({ length: 2500 }, (_, line) => `a${line}`);
    const after = Array.from({ length: 2500 }, (_, line) => `b${line}`);
    const lines = diffLines(['first', ...before, 'last'], ['first', ...after, 'last']);
    expect(lines.filter(({ kind }) => kind !== 'added').map(({ text }) => text)).toEqual(['first', ...before, 'last']);
    expect(lines.filter(({ kind }) => kind !== 'removed').map(({ text }) => text)).toEqual(['first', ...after, 'last']);
  });

  test('folds equal lines away from changes', () => {
    const lines = diffLines([...'abcdefgh'], [...'abcdefgX']);
    expect(folded(lines, 1).map(({ text }) => text)).toEqual(['… 6 equal lines', 'g', 'h', 'X']);
    expect(folded(diffLines(['a'], ['a'])).map(({ text }) => text)).toEqual(['… 1 equal line']);
  });
});
