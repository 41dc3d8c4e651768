import { expect, test } from 'vitest';
import type { TrainingRow } from '../../../engine/training/row.ts';
import { datumOf, scoresOf, sequencesOf } from './sequences.ts';

/** The prompt 1, 2 with the results 3, 4 and 5, and another sequence, 6, 7. */
const row: TrainingRow = {
  tokens: Int32Array.of(1, 2, 3, 4, 5, 6, 7),
  positions: Int32Array.of(0, 1, 2, 3, 2, 0, 1),
  groups: Int32Array.of(0, 0, 1, 1, 2, 3, 3),
  parents: Int32Array.of(0, 0, 0, 0, 0, 3, 3),
  targets: {
    places: Int32Array.of(1, 1, 1, 2, 3, 5, 0),
    tokens: Int32Array.of(3, 5, 9, 4, 8, 7, 2),
    results: Int32Array.of(1, 2, 1, 1, 1, 3, 0),
  },
};

test('each result is a sequence with its prompt, and each target is in one of them', () => {
  const sequences = sequencesOf([row]);
  const data = sequences.map((sequence) => datumOf(sequence, [row], { weights: [[1, 2, 3, 4, 5, 6, 7]] }));
  const shown = data.map(({ tokens, targets, inputs }) => [[...tokens], [...targets], [...inputs.weights!]]);
  expect(shown).toEqual([
    [
      [1, 2, 3, 4],
      [2, 3, 4, 8],
      [7, 1, 4, 5],
    ],
    [
      [1, 2],
      [2, 9],
      [0, 3],
    ],
    [
      [1, 2],
      [2, 5],
      [0, 2],
    ],
    [[6], [7], [6]],
  ]);
  const logprobs = data.map(({ targets }) => Float32Array.from(targets, (token) => -token));
  expect([...scoresOf([row], sequences, logprobs)[0]!.logprobs]).toEqual([-3, -5, -9, -4, -8, -7, -2]);
});

test('refuses positions that do not count from 0', () => {
  const moved = { ...row, positions: row.positions.map((position) => position + 1) };
  expect(() => sequencesOf([moved])).toThrow('Row 0 has a sequence whose positions do not count from 0');
});
