import { type RlConfig, rlConfig } from '../../contract/training-jobs/rl-config.ts';
import { unknownKeys } from './unknown-keys.ts';

/** How a reinforcement learning job trains, with every default filled in (`docs/training.md`). */
export type RlSettings = {
  learningRate: number;
  lossFunction: 'cispo' | 'ppo';
  /** The probability ratio is clipped to 1 − epsilon … 1 + epsilonHigh. */
  epsilon: number;
  epsilonHigh: number;
  importanceSamplingLevel: 'token' | 'sequence' | 'average' | 'geometric_average';
  /** The largest probability ratio; null for none. */
  ratioMax: number | null;
  /** Tokens whose ratio is outside the clipping range have no loss. */
  masksRatios: boolean;
  /** Weight of the K2 penalty, which takes the log ratio off the advantage; null for none. */
  k2Tau: number | null;
  klPenalty: KlPenalty | null;
  /** The largest factor of truncated importance sampling; null for none. */
  truncatedRatioMax: number | null;
  /** The ratio is of the weights at the start of the job, instead of those that sampled. */
  precalculatesLogprobs: boolean;
  scalesRewards: boolean;
  advantageBalance: number;
  trainsWithoutLogprobs: boolean;
  /** The learning rate of a step is multiplied by the row's number of results to this power. */
  learningRatePower: number;
  /** The most tokens of a row; null for the longest sequence rounded up. */
  rowLength: number | null;
};

export type KlPenalty = {
  coefficient: number;
  /** Whose logprobs are compared with the reference: the weights under training, or those that sampled. */
  source: 'current_learner' | 'sample';
  /** The reference: the base model, or a checkpoint. */
  reference: { kind: 'base' } | { kind: 'step'; step: number } | { kind: 'lag'; steps: number };
};

const defaults = {
  learningRate: 5e-6,
  ppo: { epsilon: 0.2 },
  cispo: { epsilon: 1, epsilonHigh: 4 },
};

/** @returns the settings, and a warning for each key that has no effect. */
export function rlSettings(config: RlConfig): { settings: RlSettings; warnings: string[] } {
  const lossFunction = config.loss_fn ?? (config.ppo ? 'ppo' : 'cispo');
  const epsilon = config.epsilon ?? defaults[lossFunction].epsilon;
  const epsilonHigh = config.epsilon_high ?? (lossFunction === 'cispo' ? defaults.cispo.epsilonHigh : epsilon);
  const settings: RlSettings = {
    learningRate: config.learning_rate ?? defaults.learningRate,
    lossFunction,
    epsilon,
    epsilonHigh,
    importanceSamplingLevel: config.importance_sampling_level ?? 'token',
    ratioMax: config.max_negative_advantage_importance_sampling_weight,
    masksRatios: config.mask_prob_ratio ?? false,
    k2Tau: config.kimi_k2_tau ?? config.vendor_k2_tau,
    klPenalty: klPenaltyOf(config),
    truncatedRatioMax: config.truncated_importance_sampling,
    precalculatesLogprobs: config.precalculate_logprobs ?? false,
    scalesRewards: config.scale_rewards ?? config.normalize_advantages ?? true,
    advantageBalance: config.advantage_balance ?? 0,
    trainsWithoutLogprobs: config.allow_training_without_logprobs ?? false,
    learningRatePower: config.num_trajectories_learning_rate_multiplier_power ?? 0,
    rowLength: config.packed_sequence_length,
  };
  return {
    settings,
    warnings: [...unknownKeys('experimental_config', config, rlConfig.shape), ...keysWithoutEffect(config)],
  };
}

function klPenaltyOf(config: RlConfig): KlPenalty | null {
  const coefficient = config.kl_penalty_coef ?? 0;
  if (coefficient <= 0) return null;
  const { kl_penalty_reference_step: step, kl_penalty_step_lag: lag } = config;
  const reference =
    step !== null
      ? ({ kind: 'step', step } as const)
      : lag !== null
        ? ({ kind: 'lag', steps: lag } as const)
        : ({ kind: 'base' } as const);
  return { coefficient, source: config.kl_penalty_source ?? 'current_learner', reference };
}

function keysWithoutEffect(config: RlConfig): string[] {
  const reasons: [key: keyof RlConfig, reason: string][] = [
    ['scale_learning_rate_by_reward_std_dev', 'it has no effect in ART 0.5.18 either'],
    ['plot_tensors', 'no tensors are plotted'],
    ['kl_ref_adapter_path', 'name a step with kl_penalty_reference_step instead'],
    ['logprob_calculation_chunk_size', 'heddle chooses the size of chunks itself'],
  ];
  return reasons
    .filter(([key]) => config[key])
    .map(([key, reason]) => `experimental_config.${key} is ignored: ${reason}.`);
}

/** The bounds of settings, for a clear error before a job is queued. @returns what is wrong with a key */
export function rlConfigFault(config: RlConfig): { key: string; message: string } | null {
  const bounds: [key: keyof RlConfig, isValid: (value: number) => boolean, message: string][] = [
    ['learning_rate', (value) => value >= 0, 'Input should be 0 or more'],
    ['advantage_balance', (value) => Math.abs(value) <= 1, 'Input should be between -1 and 1'],
    ['epsilon', (value) => value >= 0, 'Input should be 0 or more'],
    ['epsilon_high', (value) => value >= 0, 'Input should be 0 or more'],
    ['max_negative_advantage_importance_sampling_weight', (value) => value > 0, 'Input should be greater than 0'],
    ['truncated_importance_sampling', (value) => value > 0, 'Input should be greater than 0'],
    ['packed_sequence_length', (value) => value >= 1, 'Input should be 1 or more'],
    ['kl_penalty_coef', (value) => value >= 0, 'Input should be 0 or more'],
    ['kl_penalty_reference_step', (value) => value >= 0, 'Input should be 0 or more'],
    ['kl_penalty_step_lag', (value) => value >= 0, 'Input should be 0 or more'],
  ];
  for (const [key, isValid, message] of bounds) {
    const value = config[key];
    if (typeof value === 'number' && !isValid(value)) return { key, message };
  }
  if (config.ppo !== null && config.loss_fn !== null && config.ppo !== (config.loss_fn === 'ppo')) {
    return { key: 'loss_fn', message: `Input should agree with ppo, which is ${config.ppo}` };
  }
  return null;
}
