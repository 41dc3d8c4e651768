import { expect, test } from 'vitest';
import { objectiveOf } from '../objectives/losses.ts';
import { rowOfSequence, type TrainingRow } from '../row.ts';
import { modelNames, openForTest, someLora } from '../testing/models.ts';
import { trainRows } from '../testing/train-rows.ts';

const crossEntropy = { name: 'cross_entropy' } as const;

test.each(modelNames)('%s learns sequences in one row as if each were a row', async (name) => {
  const session = await openForTest(name);
  const lora = someLora(session);
  const prompt = [3, 1, 4, 1, 5, 9, 2, 6];
  const results = [
    [5, 3, 5],
    [8, 9, 7, 9, 3, 2],
    [3, 8],
  ];
  const apart = results.map((result) =>
    rowOfSequence(Int32Array.from([...prompt, ...result]), (i) => i >= prompt.length),
  );
  const train = async (rows: TrainingRow[], tokensMax = 1024) => {
    const { scores, gradients } = await trainRows(session, lora, rows, objectiveOf(crossEntropy, rows), tokensMax);
    return { logprobs: Float32Array.from(scores.flatMap(({ logprobs }) => [...logprobs])), gradients };
  };
  const expected = await train(apart);
  for (const row of [packed(prompt, results), sharingPrompt(prompt, results)]) {
    // In one run, and in one run for each result.
    for (const tokensMax of [1024, 12]) {
      const found = await train([row], tokensMax);
      expect(distance(found.logprobs, expected.logprobs)).toBeLessThan(1e-5);
      expect(distance(found.gradients, expected.gradients) / Math.hypot(...expected.gradients)).toBeLessThan(1e-5);
    }
  }
});

function packed(prompt: number[], results: number[][]): TrainingRow {
  return joined(
    results.map((result, group) => {
      const tokens = [...prompt, ...result];
      return {
        tokens,
        positions: [...tokens.keys()],
        groups: tokens.map(() => group),
        parents: tokens.map(() => group),
        firstTarget: prompt.length,
        result: group,
      };
    }),
  );
}

/** Stores the prompt once, without its last token, which each result starts with. */
function sharingPrompt(prompt: number[], results: number[][]): TrainingRow {
  const shared = prompt.slice(0, -1);
  const ofShared = (value: number) => shared.map(() => value);
  return joined([
    {
      tokens: shared,
      positions: [...shared.keys()],
      groups: ofShared(100),
      parents: ofShared(100),
      firstTarget: shared.length,
      result: 0,
    },
    ...results.map((result, group) => {
      const tokens = [prompt.at(-1)!, ...result];
      return {
        tokens,
        positions: tokens.map((_, i) => shared.length + i),
        groups: tokens.map(() => group),
        parents: tokens.map(() => 100),
        firstTarget: 1,
        result: group,
      };
    }),
  ]);
}

type Part = {
  tokens: number[];
  positions: number[];
  groups: number[];
  parents: number[];
  firstTarget: number;
  result: number;
};

function joined(parts: Part[]): TrainingRow {
  const starts = parts.map((_, i) => parts.slice(0, i).reduce((sum, { tokens }) => sum + tokens.length, 0));
  const targets = parts.flatMap(({ tokens, firstTarget, result }, i) =>
    tokens.slice(firstTarget).map((token, j) => ({ token, place: starts[i]! + firstTarget + j - 1, result })),
  );
  const join = (of: (part: Part) => number[]) => Int32Array.from(parts.flatMap(of));
  return {
    tokens: join(({ tokens }) => tokens),
    positions: join(({ positions }) => positions),
    groups: join(({ groups }) => groups),
    parents: join(({ parents }) => parents),
    targets: {
      places: Int32Array.from(targets, ({ place }) => place),
      tokens: Int32Array.from(targets, ({ token }) => token),
      results: Int32Array.from(targets, ({ result }) => result),
    },
  };
}

function distance(a: Float32Array, b: Float32Array): number {
  expect(a.length).toBe(b.length);
  return a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i]!)), 0);
}
