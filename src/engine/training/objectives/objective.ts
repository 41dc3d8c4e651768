import type { PairRewards } from './dpo.ts';
import type { PolicyOptions } from './policy-loss.ts';

/** What a loss is computed with: its numbers, and what the weights of the targets are multiplied with. */
export type Objective = {
  options: PolicyOptions<number>;
  scale: number;
  /** For a KL penalty, of each row. */
  klMeans: number[] | null;
  /** For DPO, of each row, with the beta that they are computed with. */
  pairs: { beta: number; rewards: PairRewards[] } | null;
};
