import type { PairRewards } from './dpo.ts';
import type { PolicyOptions } from './policy-loss.ts';

/** The parameters of a loss, and the factor of the targets' weights. */
export type Objective = {
  options: PolicyOptions<number>;
  scale: number;
  /** For a KL penalty: the mean of each row. */
  klMeans: number[] | null;
  /** For DPO: the rewards of each row, and the beta that they were computed with. */
  pairs: { beta: number; rewards: PairRewards[] } | null;
  /** For DRO: the factor of the squared difference, of which `options` have only the derivative. */
  droBeta: number | null;
};
