import { expect, test } from 'vitest';
import { invalidInput } from '../../../util/failures.ts';
import { normOf } from '../optimizer/adam.ts';
import type { TrainingRow } from '../row.ts';
import { openForTest, someLora } from '../testing/models.ts';
import { scoreRows, trainRows } from '../testing/train-rows.ts';
import type { Loss, RowScores } from '../types.ts';
import { evaluateLoss, objectiveOf } from './losses.ts';
import { evaluateGradients } from './testing/evaluate-gradients.ts';

const dpo: Loss = { name: 'dpo', beta: 0.3 };

/** A prompt of three tokens with the preferred answer and the other one, which do not attend to each other. */
function pair(preferred: number[], other: number[], reference: number[]): TrainingRow {
  const prompt = [1, 2, 3];
  const answers = [preferred, other];
  const tokens = [...prompt, ...answers.flat()];
  const groups = [...prompt.map(() => 0), ...preferred.map(() => 1), ...other.map(() => 2)];
  const starts = [prompt.length, prompt.length + preferred.length];
  return {
    tokens: Int32Array.from(tokens),
    positions: Int32Array.of(...prompt.keys(), ...answers.flatMap((answer) => answer.map((_, i) => prompt.length + i))),
    groups: Int32Array.from(groups),
    parents: new Int32Array(tokens.length),
    targets: {
      places: Int32Array.from(answers.flatMap((answer, a) => answer.map((_, i) => (i === 0 ? 2 : starts[a]! + i - 1)))),
      tokens: Int32Array.from(answers.flat()),
      results: Int32Array.from(groups.filter((group) => group > 0)),
      advantages: Float32Array.of(...preferred.map(() => 1), ...other.map(() => -1)),
      referenceLogprobs: Float32Array.from(reference),
    },
  };
}

const rows = [pair([4, 5], [6, 7, 8], [-1, -2, -3, -0.5, -0.25]), pair([9, 4, 6], [5], [-0.5, -1.5, -0.1, -2])];
const logprobs = [
  [-0.5, -2.5, -2, -1.5, -0.1],
  [-0.6, -3.5, -0.7, -0.2],
];
const scoresOf = (values: number[][]): RowScores[] =>
  values.map((each) => ({
    logprobs: Float32Array.from(each),
    entropies: new Float32Array(each.length),
    hits: new Float32Array(each.length),
  }));

/** The formula of the paper (https://arxiv.org/abs/2305.18290), for each answer. */
function plainLoss(values: number[][]): number {
  const losses = rows.map(({ targets }, r) => {
    const logRatio = (sign: number) =>
      values[r]!.reduce((sum, logprob, t) => {
        return targets.advantages![t] === sign ? sum + logprob - targets.referenceLogprobs![t]! : sum;
      }, 0);
    return -Math.log(1 / (1 + Math.exp(-0.3 * (logRatio(1) - logRatio(-1)))));
  });
  return losses.reduce((a, b) => a + b) / losses.length;
}

test('the loss of DPO matches the paper, and its metrics compare the two answers', () => {
  const scores = scoresOf(logprobs);
  const { loss, metrics } = evaluateLoss(rows, scores, objectiveOf(dpo, rows, scores));
  expect(loss).toBeCloseTo(plainLoss(logprobs), 6);
  // Log ratios: 0 and 0.15 in the first pair, −2.7 and 1.8 in the second.
  expect(metrics.preference!.accuracy).toBe(0);
  expect(metrics.preference!.preferredReward).toBeCloseTo((0.3 * (0 - 2.7)) / 2, 6);
  expect(metrics.preference!.otherReward).toBeCloseTo((0.3 * (0.15 + 1.8)) / 2, 6);
});

test('the gradient of DPO matches central differences', () => {
  const scores = scoresOf(logprobs);
  const gradients = evaluateGradients(rows, scores, objectiveOf(dpo, rows, scores));
  for (const [r, each] of logprobs.entries()) {
    for (const t of each.keys()) {
      const moved = (step: number) => logprobs.map((of, i) => of.map((l, j) => (i === r && j === t ? l + step : l)));
      const difference = plainLoss(moved(1e-5)) - plainLoss(moved(-1e-5));
      expect(gradients[r]![t]).toBeCloseTo(difference / 2e-5, 6);
    }
  }
});

test('the graph uses the gradient of DPO, also if the answers of a pair are in separate runs', async () => {
  const session = await openForTest('llama');
  const lora = someLora(session);
  const scores = await scoreRows(session, lora, rows);
  const objective = objectiveOf(dpo, rows, scores);
  const derivatives = evaluateGradients(rows, scores, objective);
  const weighted = rows.map((row, r) => {
    const { advantages: _, ...targets } = row.targets;
    return { ...row, targets: { ...targets, weights: Float32Array.from(derivatives[r]!, (d) => -d) } };
  });
  const plain = { ...objectiveOf({ name: 'cross_entropy' }, rows), scale: 1 };
  const { gradients: expected } = await trainRows(session, lora, weighted, plain);
  expect(normOf(expected)).toBeGreaterThan(1e-3);
  for (const tokensMax of [1024, 5]) {
    const { gradients } = await trainRows(session, lora, rows, objective, tokensMax);
    expect(normOf(gradients.map((each, i) => each - expected[i]!)) / normOf(expected)).toBeLessThan(1e-5);
  }
});

test('rejects rows that are not pairs with a reference', () => {
  const [first] = rows as [TrainingRow];
  const without = (change: object) => [{ ...first, targets: { ...first.targets, ...change } }];
  const scores = scoresOf(logprobs.slice(0, 1));
  expect(() => objectiveOf(dpo, without({ referenceLogprobs: undefined }), scores)).toThrow(
    expect.objectContaining({ kind: 'invalidInput' }),
  );
  expect(() => objectiveOf(dpo, without({ advantages: new Float32Array(5).fill(1) }), scores)).toThrow(
    invalidInput('Row 0 does not have the two answers of a pair.'),
  );
});
