import { expect, test } from 'vitest';
import { rowOfSequence, type TrainingRow } from '../row.ts';
import { groupRows } from './group-rows.ts';
import { layOut } from './lay-out.ts';
import { longestSequence, splitRows } from './split-rows.ts';

/** Each part is a group of tokens with the parent at the same index. All tokens except the first are targets. */
function rowOf(parts: number[][], parents: number[]): TrainingRow {
  const row = rowOfSequence(Int32Array.from(parts.flat()), () => true);
  const perToken = (of: (group: number) => number) =>
    Int32Array.from(parts.flatMap((part, i) => part.map(() => of(i))));
  return { ...row, groups: perToken((group) => group), parents: perToken((group) => parents[group]!) };
}

const prompt = [1, 2, 3];
const row = rowOf([prompt, [4, 5], [6, 7, 8], [9, 10]], [0, 0, 0, 0]);

test('computes the sequences of a row separately, each with the shared prompt', () => {
  const rows = [row, rowOf([[20, 21], [22]], [0, 1])];
  const parts = splitRows(rows, 100);
  expect(parts.map(({ from, row: { tokens } }) => [from, ...tokens])).toEqual([
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    [1, 20, 21],
  ]);
  expect(parts[1]!.targets).toEqual([0, 1]);
  expect([...parts[1]!.row.targets.places]).toEqual([0, 1]);
  expect(longestSequence(rows)).toBe(6);
});

test('results that do not fit get a copy of their prompt, and its targets count once', () => {
  const parts = splitRows([row], 8);
  expect(parts.map(({ row: { tokens } }) => [...tokens])).toEqual([
    [1, 2, 3, 4, 5, 6, 7, 8],
    [1, 2, 3, 9, 10],
  ]);
  const targets = parts.flatMap((part) => part.targets);
  expect(new Set(targets).size).toBe(targets.length);
  expect(parts.flatMap((part) => [...part.row.targets.tokens])).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect([...parts[0]!.row.positions]).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

test('lines are as long as the longest part, and shorter ones share a line', () => {
  const { lines, length, starts } = layOut([rowOf([[1, 2]], [0]), rowOf([[3, 4, 5, 6, 7]], [0]), rowOf([[8, 9]], [0])]);
  expect(length).toBe(5);
  expect(lines.map(({ tokens }) => tokens)).toEqual([
    [3, 4, 5, 6, 7],
    [1, 2, 8, 9],
  ]);
  expect(starts).toEqual([5, 0, 7]);
});

test('uses longer lines where padding would be too large', () => {
  const rows = [9, 6, 6].map((length) => rowOfSequence(new Int32Array(length), () => true));
  const { lines, length } = layOut(rows);
  expect(length).toBe(12);
  expect(lines.map(({ tokens }) => tokens.length)).toEqual([9, 12]);
});

test('groups of different parts differ even if their rows use the same numbers', () => {
  const { lines } = layOut([rowOf([[1], [2]], [0, 0]), rowOf([[3], [4]], [1, 1]), rowOf([[5]], [0])]);
  const [line] = lines;
  expect(new Set(lines.flatMap(({ groups }) => groups)).size).toBe(5);
  const of = (token: number) =>
    lines.flatMap(({ tokens, groups, parents }) =>
      tokens.flatMap((each, i) => (each === token ? [{ group: groups[i], parent: parents[i] }] : [])),
    )[0]!;
  expect(of(2).parent).toBe(of(1).group);
  expect(of(3).parent).toBe(of(4).group);
  expect(line!.tokens).toHaveLength(2);
});

test('a run takes as many parts as its tokens allow, and a longer one runs alone', () => {
  const rows = [5, 3, 20, 2, 4].map((length) => rowOfSequence(new Int32Array(length), () => true));
  const untaught = rowOfSequence(Int32Array.of(1, 2), () => false);
  const runs = groupRows([...rows, untaught], 10);
  expect(runs.map(({ parts }) => parts.map(({ from }) => from))).toEqual([[2], [0, 4], [1, 3]]);
});
