import type { PolicyOptions } from './policy-loss.ts';

/** The options of a loss, with the names of `experimental_config`. Absent and null keys have defaults. */
export type PolicyLossConfig = {
  epsilon?: number | null;
  epsilon_high?: number | null;
  importance_sampling_level?: 'token' | 'sequence' | 'average' | 'geometric_average' | null;
  kimi_k2_tau?: number | null;
  mask_prob_ratio?: boolean | null;
  max_negative_advantage_importance_sampling_weight?: number | null;
  ppo?: boolean | null;
  loss_fn?: 'cispo' | 'ppo' | null;
  truncated_importance_sampling?: number | null;
  kl_penalty_coef?: number | null;
  kl_penalty_source?: 'current_learner' | 'sample' | null;
};

/** Options without effect: the loss is `-advantage · logprob`. */
export const neutralOptions: PolicyOptions<number> = {
  tokenShare1: 1,
  tokenShare2: 1,
  ratioMax: Number.POSITIVE_INFINITY,
  keptMin: Number.NEGATIVE_INFINITY,
  keptMax: Number.POSITIVE_INFINITY,
  clipMin: 1,
  clipMax: 1,
  ppo: 0,
  tau: 0,
  klCoefficient: 0,
  klOfSample: 0,
  truncation: 0,
};

export const optionNames = Object.keys(neutralOptions) as (keyof PolicyOptions<number>)[];

const tokenShares = { token: [1, 1], sequence: [0, 0], average: [1, 0], geometric_average: [0.5, 0.5] } as const;

export function policyOptions(config: PolicyLossConfig): PolicyOptions<number> {
  const ppo = (config.loss_fn ?? (config.ppo ? 'ppo' : 'cispo')) === 'ppo';
  const { low, high } = epsilonsOf(config, ppo);
  const [tokenShare1, tokenShare2] = tokenShares[config.importance_sampling_level ?? 'token'];
  const klCoefficient = config.kl_penalty_coef ?? 0;
  const klSource = config.kl_penalty_source ?? 'current_learner';
  return {
    ...neutralOptions,
    tokenShare1,
    tokenShare2,
    ratioMax: config.max_negative_advantage_importance_sampling_weight ?? Number.POSITIVE_INFINITY,
    ...(config.mask_prob_ratio ? { keptMin: 1 - low, keptMax: 1 + high } : {}),
    clipMin: 1 - low,
    clipMax: 1 + high,
    ppo: ppo ? 1 : 0,
    tau: config.kimi_k2_tau ?? 0,
    klCoefficient,
    klOfSample: klSource === 'sample' ? 1 : 0,
    truncation: config.truncated_importance_sampling ?? 0,
  };
}

function epsilonsOf({ epsilon, epsilon_high }: PolicyLossConfig, ppo: boolean): { low: number; high: number } {
  const low = epsilon ?? (ppo ? 0.2 : 1);
  return { low, high: epsilon_high ?? (ppo ? low : 4) };
}
