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

/** The weights in training, only the base model, or other weights over the same base model. */
export type ForwardThrough = 'trained' | 'base' | TrainedWeights;

export type Loss = (
  | /** Weighted by the weights of the targets. */ { name: 'cross_entropy' }
  /** `importance_sampling` is the ratio times the advantage, never clipped. */
  | { name: 'importance_sampling' | 'ppo' | 'cispo'; config?: PolicyLossConfig }
  /** The advantage times the logprob, less half of beta times the squared difference from the old logprob. */
  | { name: 'dro'; beta: number }
  /**
   * Direct preference optimization. Each row has the two answers of a pair. Targets of the preferred one have the advantage 1,
   * those of the other −1, and all have reference logprobs. The loss is the mean over the rows.
   */
  | { name: 'dpo'; beta: number }
) & {
  /** Over all targets of all rows; `mean` by default. DPO has its own. */
  reduction?: 'mean' | 'sum';
};

/**
 * The scores of a row's targets, in order. `hits` is 1 if no token is more likely than the target, otherwise 0. Entropies and
 * hits need the whole vocabulary; they are null from a server that returns only logprobs.
 */
export type RowScores = { logprobs: Float32Array; entropies: Float32Array | null; hits: Float32Array | null };

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
  /** The mean entropy over the vocabulary, weighted like the loss; null if it is not known. */
  entropy: number | null;
  /** The mean of `-logprob` over the targets, weighted in the same way: of sampled tokens, an estimate of the entropy. */
  surprisal: number;
  /** The share of targets that are hits; null if it is not known. */
  accuracy: number | null;
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
  /** The norm before clipping; null if it is not known. */
  gradientNorm: number | null;
};

/** Weights that were trained. */
export type TrainedWeights = {
  adapter: Adapter;
  /** Where a server keeps the same weights, if it trained them. */
  remote?: RemoteState;
};

export type TrainingState = TrainedWeights & {
  /** Null: the optimizer starts without a state, or continues with that of the server. */
  optimizer: OptimizerState | null;
};

/** Weights that the server that trained them keeps, with those of the optimizer. */
export type RemoteState = {
  /** The address of the server. */
  server: string;
  path: string;
  /** Whether training continues with the state of the optimizer. */
  continuesOptimizer: boolean;
};

/** The same weights, from which the optimizer starts anew. */
export function withoutOptimizer({ adapter, remote }: TrainedWeights): TrainingState {
  return { adapter, optimizer: null, ...(remote && { remote: { ...remote, continuesOptimizer: false } }) };
}

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
