/**
 * Tokens that are computed together, and their targets. A row can have several sequences, which do not attend to each other.
 * Sequences that share a prompt attend to the same copy of it.
 */
export type TrainingRow = {
  tokens: Int32Array;
  /** The position of each token in its own sequence. */
  positions: Int32Array;
  /** Tokens attend to earlier tokens of the row in their own group or its parent. */
  groups: Int32Array;
  parents: Int32Array;
  targets: RowTargets;
};

/** The tokens with a loss, one element each. */
export type RowTargets = {
  /** The index of the token before the target. */
  places: Int32Array;
  tokens: Int32Array;
  /** The result of each target, for ratios over whole results. */
  results: Int32Array;
  /** Default: 1. */
  weights?: Float32Array;
  /** Default: 1. */
  advantages?: Float32Array;
  /** The logprobs of the sampler; NaN if unknown. Default: all unknown. */
  oldLogprobs?: Float32Array;
  /** The logprobs of the reference model. */
  referenceLogprobs?: Float32Array;
};

/** A row of one sequence. @param isTarget whether each token has a loss; the first never has one */
export function rowOfSequence(
  tokens: Int32Array,
  isTarget: (index: number) => boolean,
  rest: Omit<RowTargets, 'places' | 'tokens' | 'results'> = {},
): TrainingRow {
  const indices = Array.from(tokens.keys()).filter((index) => index > 0 && isTarget(index));
  return {
    tokens,
    positions: Int32Array.from(tokens.keys()),
    groups: new Int32Array(tokens.length),
    parents: new Int32Array(tokens.length),
    targets: {
      places: Int32Array.from(indices, (index) => index - 1),
      tokens: Int32Array.from(indices, (index) => tokens[index]!),
      results: new Int32Array(indices.length),
      ...rest,
    },
  };
}
