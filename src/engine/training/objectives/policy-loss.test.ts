import { describe, expect, test } from 'vitest';
import { invalidInput } from '../../../util/failures.ts';
import { normOf } from '../optimizer/adam.ts';
import { rowOfSequence, type TrainingRow } from '../row.ts';
import type { LoraWeights } from '../run/run.ts';
import type { TrainingSession } from '../run/training-session.ts';
import { openForTest, someLora } from '../testing/models.ts';
import { scoreRows, trainRows } from '../testing/train-rows.ts';
import type { Loss, RowScores } from '../types.ts';
import { evaluateLoss, objectiveOf } from './losses.ts';
import type { Objective } from './objective.ts';
import type { PolicyLossConfig } from './policy-options.ts';
import { evaluateGradients } from './testing/evaluate-gradients.ts';
import { plainLoss } from './testing/plain-loss.ts';

const results = [0, 0, 0, 1, 1, 1, 1, 2];
const row: TrainingRow = {
  ...rowOfSequence(
    Int32Array.from({ length: 9 }, (_, i) => i),
    () => true,
  ),
  targets: {
    places: Int32Array.from(results.keys()),
    tokens: Int32Array.from(results.keys()),
    results: Int32Array.from(results),
    weights: Float32Array.of(0.5, 0.5, 0.5, 1.5, 1.5, 1.5, 1.5, 0.25),
    advantages: Float32Array.of(1.5, 1.5, 1.5, -0.75, -0.75, -0.75, -0.75, 2),
    oldLogprobs: Float32Array.of(-1, -2.5, -0.1, -3, -0.5, Number.NaN, -1.25, -4),
    referenceLogprobs: Float32Array.of(-1.5, -2, -0.25, -2.5, -1, -1, -1.5, -0.5),
  },
};
/** Ratios from 0.2 to 20. */
const logprobs = [-0.9, -1.1, -0.35, -1.9, -1.7, -0.8, -1.3, -1];
const otherRow: TrainingRow = {
  ...row,
  targets: { ...row.targets, referenceLogprobs: row.targets.referenceLogprobs!.map((each) => each - 1) },
};
const otherLogprobs = logprobs.map((each, i) => each - 0.3 * (i % 3));

const cispo: PolicyLossConfig = { ppo: false };
const ppo: PolicyLossConfig = { ppo: true };
const levels = ['token', 'sequence', 'average', 'geometric_average'] as const;

const configs: [string, PolicyLossConfig][] = [
  ['CISPO with its defaults', cispo],
  ['PPO with its defaults', ppo],
  ['loss_fn', { loss_fn: 'ppo', ppo: true }],
  ['epsilon of CISPO', { ...cispo, epsilon: 0.3 }],
  ['epsilon_high of CISPO', { ...cispo, epsilon_high: 0.1 }],
  ['epsilon of PPO', { ...ppo, epsilon: 0.5 }],
  ['epsilon and epsilon_high of PPO', { ...ppo, epsilon: 0.5, epsilon_high: 1.5 }],
  ...[cispo, ppo].flatMap((loss) =>
    levels.map((level): [string, PolicyLossConfig] => [
      `importance_sampling_level ${level}, ${loss.ppo ? 'PPO' : 'CISPO'}`,
      { ...loss, importance_sampling_level: level, epsilon: 0.7, epsilon_high: 1.1 },
    ]),
  ),
  ['kimi_k2_tau', { ...cispo, kimi_k2_tau: 0.4 }],
  ['kimi_k2_tau of PPO', { ...ppo, kimi_k2_tau: 0.4 }],
  ['mask_prob_ratio', { ...cispo, mask_prob_ratio: true, epsilon: 0.5, epsilon_high: 0.6 }],
  ['mask_prob_ratio of PPO', { ...ppo, mask_prob_ratio: true, epsilon: 0.5, epsilon_high: 0.6 }],
  [
    'max_negative_advantage_importance_sampling_weight',
    { ...cispo, max_negative_advantage_importance_sampling_weight: 1.2 },
  ],
  [
    'max_negative_advantage_importance_sampling_weight of PPO over sequences',
    {
      ...ppo,
      max_negative_advantage_importance_sampling_weight: 1.2,
      epsilon: 0.7,
      importance_sampling_level: 'sequence',
    },
  ],
  ['truncated_importance_sampling', { ...cispo, truncated_importance_sampling: 0.9 }],
  ['truncated_importance_sampling of PPO', { ...ppo, truncated_importance_sampling: 1.5 }],
  ['kl_penalty_coef', { ...cispo, kl_penalty_coef: 0.3 }],
  ['kl_penalty_coef of PPO', { ...ppo, kl_penalty_coef: 0.3, kl_penalty_source: 'current_learner' }],
  ['kl_penalty_source sample', { ...cispo, kl_penalty_coef: 0.3, kl_penalty_source: 'sample' }],
  [
    'everything at once',
    {
      ...ppo,
      epsilon: 0.6,
      epsilon_high: 3,
      importance_sampling_level: 'average',
      kimi_k2_tau: 0.1,
      mask_prob_ratio: true,
      max_negative_advantage_importance_sampling_weight: 2.5,
      truncated_importance_sampling: 1.1,
      kl_penalty_coef: 0.2,
    },
  ],
];

const rows = [row, otherRow];
const scores: RowScores[] = [logprobs, otherLogprobs].map((each) => ({
  logprobs: Float32Array.from(each),
  entropies: new Float32Array(each.length),
  hits: new Float32Array(each.length),
}));

describe.each(configs)('%s', (_, config) => {
  const loss: Loss = { name: config.ppo ? 'ppo' : 'cispo', config };
  const objective = objectiveOf(loss, rows, scores);

  test('has the loss of the specification [training 79 80 81 82 83 84]', () => {
    expect(evaluateLoss(rows, scores, objective).loss).toBeCloseTo(plainLoss(rows, valuesOf(scores), config), 6);
  });

  test('has the same gradient as central differences', () => {
    const values = valuesOf(scores);
    const gradients = evaluateGradients(rows, scores, objective);
    for (const [r, each] of values.entries()) {
      for (const t of each.keys()) {
        const moved = (step: number) => values.map((of, i) => of.map((l, j) => (i === r && j === t ? l + step : l)));
        const step = 1e-5;
        const difference = plainLoss(rows, moved(step), config, values) - plainLoss(rows, moved(-step), config, values);
        expect(gradients[r]![t]).toBeCloseTo(difference / (2 * step), 6);
      }
    }
  });
});

test('the graph uses the gradient of each loss', async () => {
  const session = await openForTest('llama');
  const lora = someLora(session);
  // Close to the policy, so that exponentials do not overflow f32.
  const near = await nearRows(session, lora);
  const nearScores = await scoreRows(session, lora, near);
  const gradientsOf = async (of: TrainingRow[], objective: Objective) =>
    (await trainRows(session, lora, of, objective)).gradients;
  for (const [name, config] of [...configs, ['cross entropy', null] as const]) {
    const loss: Loss = config === null ? { name: 'cross_entropy' } : { name: config.ppo ? 'ppo' : 'cispo', config };
    const objective = objectiveOf(loss, near, nearScores);
    // Cross entropy, weighted by the derivatives, has the same gradient.
    const derivatives = evaluateGradients(near, nearScores, objective);
    const weighted = near.map((each, i) => {
      const { advantages: _, ...targets } = each.targets;
      return { ...each, targets: { ...targets, weights: Float32Array.from(derivatives[i]!, (d) => -d) } };
    });
    const expected = await gradientsOf(weighted, { ...objectiveOf({ name: 'cross_entropy' }, near), scale: 1 });
    const found = await gradientsOf(near, objective);
    expect(normOf(expected), name).toBeGreaterThan(1e-3);
    expect(normOf(found.map((each, i) => each - expected[i]!)) / normOf(expected), name).toBeLessThan(1e-5);
  }
});

test('importance sampling multiplies the advantage by the ratio without a limit', () => {
  const objective = objectiveOf({ name: 'importance_sampling' }, rows);
  const { loss, metrics } = evaluateLoss(rows, scores, objective);
  const config: PolicyLossConfig = { ppo: true, epsilon: Number.POSITIVE_INFINITY };
  expect(loss).toBeCloseTo(plainLoss(rows, valuesOf(scores), config), 6);
  expect(metrics.sampler!.clippedShare).toBe(0);
});

test('rejects a KL penalty without reference logprobs', () => {
  const plain = rows.map(({ targets: { referenceLogprobs: _, ...targets }, ...rest }) => ({ ...rest, targets }));
  const loss: Loss = { name: 'cispo', config: { kl_penalty_coef: 0.1 } };
  expect(() => objectiveOf(loss, plain, scores)).toThrow(
    invalidInput('kl_penalty_coef is set, but the rows have no reference logprobs.'),
  );
});

test('the KL metric is the mean over the rows', () => {
  const objective = objectiveOf({ name: 'cispo', config: { kl_penalty_coef: 0.1 } }, rows, scores);
  const apart = rows.flatMap(({ targets }, r) =>
    targets.referenceLogprobs!.map((each, i) => scores[r]!.logprobs[i]! - each).reduce((a, b) => a + b),
  );
  const mean = apart.reduce((a, b) => a + b) / (2 * results.length);
  expect(evaluateLoss(rows, scores, objective).metrics.klPolicyReference).toBeCloseTo(mean, 6);
});

test('the metrics compare the trainer with the sampler', () => {
  const { metrics } = evaluateLoss([row], scores.slice(0, 1), objectiveOf({ name: 'cispo' }, [row]));
  const known = [...row.targets.oldLogprobs!.keys()].filter((i) => !Number.isNaN(row.targets.oldLogprobs![i]));
  const differences = known.map((i) => logprobs[i]! - row.targets.oldLogprobs![i]!);
  const mean = (values: number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;
  expect(metrics.targets).toBe(8);
  expect(metrics.tokens).toBe(9);
  expect(metrics.klPolicyReference).toBeNull();
  expect(metrics.sampler!.mismatch).toBeCloseTo(mean(differences.map(Math.abs)), 6);
  expect(metrics.sampler!.kl).toBeCloseTo(mean(differences.map((d) => Math.exp(d) - 1 - d)), 5);
  expect(metrics.sampler!.ratioMean).toBeCloseTo(mean(differences.map(Math.exp)), 5);
  expect(metrics.sampler!.ratioP99).toBeCloseTo(Math.max(...differences.map(Math.exp)), 5);
  expect(metrics.sampler!.clippedShare).toBeCloseTo(mean(differences.map((d) => Number(Math.exp(d) > 5))), 6);
});

function valuesOf(from: RowScores[]): number[][] {
  return from.map((each) => Array.from(each.logprobs));
}

async function nearRows(session: TrainingSession, lora: LoraWeights): Promise<TrainingRow[]> {
  const found = (await scoreRows(session, lora, rows)).map((each) => each.logprobs);
  return rows.map((each, i) => {
    const shifted = (from: Float32Array, towards: number[]) =>
      from.map((value, t) => found[i]![t]! + value - towards[t]!);
    const { oldLogprobs, referenceLogprobs } = each.targets;
    const of = valuesOf(scores)[i]!;
    return {
      ...each,
      targets: {
        ...each.targets,
        oldLogprobs: shifted(oldLogprobs!, of),
        referenceLogprobs: shifted(referenceLogprobs!, of),
      },
    };
  });
}
