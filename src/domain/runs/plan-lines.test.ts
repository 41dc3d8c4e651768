import { expect, test } from 'vitest';
import { planLines } from './plan-lines.ts';

/** The text of each line, where a row's text is its letter and the position within it. A capital letter is a client of its own. */
function read(...rows: [letter: string, firstLine: number, lines: number][]): string[] {
  const stored = rows.map(([letter, firstLine, lines], sequence) => ({
    sequence,
    clientId: /[A-Z]/.test(letter) ? letter : '',
    firstLine,
    lines,
  }));
  return planLines(stored).flatMap(({ sequence, start, count }) =>
    Array.from({ length: count }, (_, i) => `${rows[sequence]![0]}${start + i}`),
  );
}

test('lines are read in the order of their numbers', () => {
  expect(read(['a', 0, 2], ['b', 2, 2])).toEqual(['a0', 'a1', 'b0', 'b1']);
});

test('returns lines that were sent again once, with their last content', () => {
  expect(read(['a', 0, 2], ['b', 2, 2], ['c', 2, 3])).toEqual(['a0', 'a1', 'c0', 'c1', 'c2']);
  expect(read(['a', 0, 3], ['b', 3, 1], ['c', 0, 1])).toEqual(['c0', 'a1', 'a2', 'b0']);
});

test('rewriting a line in the middle keeps the order of the others', () => {
  expect(read(['a', 0, 4], ['b', 2, 1])).toEqual(['a0', 'a1', 'b0', 'a3']);
});

test('all lines of clients that share a run are read, each in its own order', () => {
  expect(read(['A', 0, 2], ['B', 0, 1], ['A', 2, 1], ['B', 1, 1])).toEqual(['A0', 'A1', 'B0', 'A0', 'B0']);
  expect(read(['A', 0, 1], ['B', 0, 1], ['A', 1, 1], ['A', 0, 1])).toEqual(['B0', 'A0', 'A0']);
});
