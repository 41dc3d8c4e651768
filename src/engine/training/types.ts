import type { Adapter, AdapterModule } from '../adapters/adapter.ts';
import type { PolicyLossConfig } from './objectives/policy-options.ts';

/** New LoRA weights, and how long the sequences are that train them. */
export type LoraSpec = {
  rank: number;
  alpha: number;
  /** For the first weights. */
  seed: number;
  /** The longest sequence that will be sent, as `longestSequence` finds it: memory is reserved for it. */
  sequenceTokensMax: number;
};

/** The weights in training, the base alone, or another adapter of the same base. */
export type ForwardThrough = 'trained' | 'base' | Adapter;

export type Loss =
  /** Weighted by the targets' weights. */
  | { name: 'cross_entropy' }
  /** `importance_sampling` is the ratio times the advantage, never clipped. */
  | { name: 'importance_sampling' | 'ppo' | 'cispo'; config?: PolicyLossConfig }
  /**
   * Direct preference optimization. Each row has the two answers of a pair: the targets of the preferred one have the
   * advantage 1, those of the other −1, and all of them the logprobs of the reference. The loss is the mean over the rows.
   */
  | { name: 'dpo'; beta: number };

/** Of the targets of one row, in their order. A target that no other token is likelier than is a hit: 1, else 0. */
export type RowScores = { logprobs: Float32Array; entropies: Float32Array; hits: Float32Array };

export type ForwardBackwardResult = {
  loss: number;
  metrics: LossMetrics;
  /** One for each row. */
  rows: RowScores[];
};

export type LossMetrics = {
  /** Tokens of all rows, and those of them that have a loss. */
  tokens: number;
  targets: number;
  /** Of the whole vocabulary, weighted as the loss is. */
  entropy: number;
  /** The share of targets that are hits. */
  accuracy: number;
  /** From the reference; only with a KL penalty. */
  klPolicyReference: number | null;
  /** Of targets whose old logprob is known; null without one. */
  sampler: SamplerMetrics | null;
  /** Only of DPO. */
  preference: PreferenceMetrics | null;
};

/** Means over the pairs. A reward is how much likelier than in the reference an answer is, times beta. */
export type PreferenceMetrics = {
  /** The share of pairs whose preferred answer has the higher reward. */
  accuracy: number;
  preferredReward: number;
  otherReward: number;
};

/** How far the trainer is from the sampler. */
export type SamplerMetrics = {
  /** A non-negative estimate from the sampled tokens. */
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
  /** Gradients of a larger norm are scaled down to it; null: never. */
  gradientNormMax: number | null;
};

export type OptimizerResult = {
  /** How many steps the optimizer has made. */
  step: number;
  /** Before it was clipped. */
  gradientNorm: number;
};

export type TrainingState = {
  adapter: Adapter;
  /** Null: the optimizer starts from scratch. */
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
