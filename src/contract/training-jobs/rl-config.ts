import { z } from 'zod';
import { bool, float, int, optional, text } from '../wire.ts';

/**
 * How a reinforcement learning job trains. Absent and null values default to those of `domain/training/rl-settings.ts`.
 * The first eleven keys are those of released clients.
 */
export const rlConfig = z
  .looseObject({
    advantage_balance: optional(float()),
    epsilon: optional(float()),
    epsilon_high: optional(float()),
    importance_sampling_level: optional(z.enum(['token', 'sequence', 'average', 'geometric_average'])),
    kimi_k2_tau: optional(float()),
    /** An alias of `kimi_k2_tau`. */
    vendor_k2_tau: optional(float()),
    learning_rate: optional(float()),
    mask_prob_ratio: optional(bool()),
    max_negative_advantage_importance_sampling_weight: optional(float()),
    ppo: optional(bool()),
    precalculate_logprobs: optional(bool()),
    scale_rewards: optional(bool()),
    allow_training_without_logprobs: optional(bool()),
    kl_penalty_coef: optional(float()),
    kl_penalty_reference_step: optional(int()),
    kl_penalty_source: optional(z.enum(['current_learner', 'sample'])),
    kl_penalty_step_lag: optional(int()),
    kl_ref_adapter_path: optional(text()),
    logprob_calculation_chunk_size: optional(int()),
    loss_fn: optional(z.enum(['cispo', 'ppo'])),
    normalize_advantages: optional(bool()),
    num_trajectories_learning_rate_multiplier_power: optional(float()),
    packed_sequence_length: optional(int()),
    plot_tensors: optional(bool()),
    scale_learning_rate_by_reward_std_dev: optional(bool()),
    truncated_importance_sampling: optional(float()),
  })
  .meta({ id: 'ExperimentalTrainingConfig' });

export type RlConfig = z.output<typeof rlConfig>;
