/**
 * Tokens that are computed together, and what is learned from them. A row may hold several sequences, which do not see
 * each other, and sequences that share a prompt, which see it both.
 */
export type TrainingRow = {
  tokens: Int32Array;
  /** How many tokens of its own sequence are before each token. */
  positions: Int32Array;
  /** A token sees those before it in the row that are of its own group or of its group's parent. */
  groups: Int32Array;
  parents: Int32Array;
  targets: RowTargets;
};

/** The tokens that have a loss, one element each. */
export type RowTargets = {
  /** After which token of the row the target follows. */
  places: Int32Array;
  tokens: Int32Array;
  /** Which result each belongs to, for ratios over a whole result. */
  results: Int32Array;
  /** Left out, 1 each. */
  weights?: Float32Array;
  /** Left out, 1 each. */
  advantages?: Float32Array;
  /** When they were sampled; NaN where it is not known. Left out, none is. */
  oldLogprobs?: Float32Array;
  /** Under the model that the policy is kept close to. */
  referenceLogprobs?: Float32Array;
};

/** A row of one sequence in which some of the tokens have a loss. @param isTarget for each token; the first has none */
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
