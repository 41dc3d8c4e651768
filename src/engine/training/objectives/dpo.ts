import type { TrainingRow } from '../row.ts';
import type { PreferenceMetrics, RowScores } from '../types.ts';

/** The rewards of a pair's answers: the difference between their logprob and that of the reference, times beta. */
export type PairRewards = { preferred: number; other: number };

export function pairRewards({ targets }: TrainingRow, { logprobs }: RowScores, beta: number): PairRewards {
  const rewards = { preferred: 0, other: 0 };
  for (const [i, logprob] of logprobs.entries()) {
    const answer = targets.advantages![i]! > 0 ? 'preferred' : 'other';
    rewards[answer] += beta * (logprob - targets.referenceLogprobs![i]!);
  }
  return rewards;
}

/** `-log sigmoid(preferred - other)`, without overflow. */
export function pairLoss({ preferred, other }: PairRewards): number {
  const margin = preferred - other;
  return Math.max(-margin, 0) + Math.log1p(Math.exp(-Math.abs(margin)));
}

/** The negative derivative of the loss with respect to the margin: `sigmoid(other - preferred)`. */
export function pairSlope({ preferred, other }: PairRewards): number {
  return 1 / (1 + Math.exp(preferred - other));
}

export function preferenceMetrics(pairs: readonly PairRewards[]): PreferenceMetrics {
  const mean = (value: (pair: PairRewards) => number) =>
    pairs.reduce((sum, pair) => sum + value(pair), 0) / pairs.length;
  return {
    accuracy: mean(({ preferred, other }) => Number(preferred > other)),
    preferredReward: mean(({ preferred }) => preferred),
    otherReward: mean(({ other }) => other),
  };
}
