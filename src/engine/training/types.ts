import type { Adapter, AdapterModule } from '../adapters/adapter.ts';
import type { PolicyLossConfig } from './objectives/policy-options.ts';

/** New LoRA weights, and the maximum length of sequences for their training. */
export type LoraSpec = {
  rank: number;
  alpha: number;
  /** The seed of the initial weights. */
  seed: number;
  /** The length of the longest sequence (`longestSequence`), for which memory is reserved. */
  sequenceTokensMax: number;
};

/** The weights in training, only the base model, or another adapter for the same base model. */
export type ForwardThrough = 'trained' | 'base' | Adapter;

export type Loss =
  /** Weighted by the weights of the targets. */
  | { name: 'cross_entropy' }
  /** `importance_sampling` is the ratio times the advantage, never clipped. */
  | { name: 'importance_sampling' | 'ppo' | 'cispo'; config?: PolicyLossConfig }
  /**
   * Direct preference optimization. Each row has the two answers of a pair. Targets of the preferred one have the advantage 1,
   * those of the other −1, and all have reference logprobs. The loss is the mean over the rows.
   */
  | { name: 'dpo'; beta: number };

/** The scores of a row's targets, in order. `hits` is 1 if no token is more likely than the target, otherwise 0. */
export type RowScores = { logprobs: Float32Array; entropies: Float32Array; hits: Float32Array };

export type ForwardBackwardResult = {
  loss: number;
  metrics: LossMetrics;
  /** The scores of each row. */
  rows: RowScores[];
};

export type LossMetrics = {
  /** The number of tokens in all rows, and of tokens with a loss. */
  tokens: number;
  targets: number;
  /** The mean entropy over the vocabulary, weighted like the loss. */
  entropy: number;
  /** The share of targets that are hits. */
  accuracy: number;
  /** The KL divergence from the reference; only with a KL penalty. */
  klPolicyReference: number | null;
  /** Over targets with a known old logprob; null without any. */
  sampler: SamplerMetrics | null;
  /** Only for DPO. */
  preference: PreferenceMetrics | null;
};

/** Means over all pairs. A reward is the difference between an answer's logprob and that of the reference, times beta. */
export type PreferenceMetrics = {
  /** The share of pairs whose preferred answer has the higher reward. */
  accuracy: number;
  preferredReward: number;
  otherReward: number;
};

/** Differences between trainer and sampler. */
export type SamplerMetrics = {
  /** A non-negative estimate of the KL divergence from the sampled tokens. */
  kl: number;
  /** The mean absolute difference of logprobs. */
  mismatch: number;
  ratioMean: number;
  ratioP95: number;
  ratioP99: number;
  /** The share of targets whose ratio the loss clips. */
  clippedShare: number;
};

export type OptimizerOptions = {
  learningRate: number;
  beta1: number;
  beta2: number;
  epsilon: number;
  weightDecay: number;
  /** Gradients with a larger norm are scaled down to it; null: no limit. */
  gradientNormMax: number | null;
};

export type OptimizerResult = {
  /** The number of optimizer steps so far. */
  step: number;
  /** The norm before clipping. */
  gradientNorm: number;
};

export type TrainingState = {
  adapter: Adapter;
  /** Null: the optimizer starts without a state. */
  optimizer: OptimizerState | null;
};

/** The moments of every LoRA weight. */
export type OptimizerState = {
  step: number;
  first: Map<string, AdapterModule>;
  second: Map<string, AdapterModule>;
};

/** A loss or a gradient is not a finite number. */
export class TrainingDiverged extends Error {
  override name = 'TrainingDiverged';
}
