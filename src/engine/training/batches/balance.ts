import type { RowTargets, TrainingRow } from '../row.ts';

/** The weight of each token of a trajectory, over all of its histories. Each trajectory has a total weight of 1. */
export function trajectoryWeight(learnedTokens: number): number {
  return 1 / (learnedTokens + 1e-6);
}

/**
 * Scales weights and advantages over all rows of a job, so that the mean weight and the weighted mean of absolute advantages
 * are 1.
 * @param balance from -1 to 1. Above 0, it reduces negative advantages; below 0, positive ones.
 */
export function balanceRows(rows: readonly TrainingRow[], balance = 0): TrainingRow[] {
  const targets = rows.flatMap(({ targets }) => Array.from(targets.tokens.keys(), (i) => valuesAt(targets, i)));
  const count = targets.length;
  const meanWeight = targets.reduce((sum, { weight }) => sum + weight, 0) / count;
  const balanced = (advantage: number) => {
    if (balance > 0 && advantage < 0) return advantage * (1 - balance);
    return balance < 0 && advantage > 0 ? advantage * (1 + balance) : advantage;
  };
  const sizes = targets.map(({ weight, advantage }) => (Math.abs(balanced(advantage)) * weight) / meanWeight);
  const meanSize = sizes.reduce((sum, each) => sum + each, 0) / count;
  // Without anything to learn from, all values stay 0.
  const scale = meanSize > 0 ? 1 / meanSize : 0;
  return rows.map((row) => {
    const values = Array.from(row.targets.tokens.keys(), (i) => valuesAt(row.targets, i));
    const weights = Float32Array.from(values, ({ weight }) => weight / meanWeight);
    const advantages = Float32Array.from(values, ({ advantage }) => balanced(advantage) * scale);
    return { ...row, targets: { ...row.targets, weights, advantages } };
  });
}

function valuesAt({ weights, advantages }: RowTargets, i: number): { weight: number; advantage: number } {
  return { weight: weights?.[i] ?? 1, advantage: advantages?.[i] ?? 1 };
}
