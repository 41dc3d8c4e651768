/** One sequence as a Tinker server takes it. All arrays have one element for each token that is computed. */
export type Datum = {
  tokens: Int32Array;
  /** What each token should be followed by. */
  targets: Int32Array;
  /** The further inputs of the loss, by their names on the wire. */
  inputs: Partial<Record<'weights' | 'logprobs' | 'advantages', Float32Array>>;
};

/** A loss that the server computes. */
export type ServerLoss = {
  name: 'cross_entropy' | 'importance_sampling' | 'ppo' | 'cispo';
  /** The clipping range of `ppo` and `cispo`. */
  clip?: { low: number; high: number };
};

export type AdamParams = {
  learning_rate: number;
  beta1: number;
  beta2: number;
  eps: number;
  weight_decay: number;
  /** 0: no limit. */
  grad_clip_norm: number;
};
