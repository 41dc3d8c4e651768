/** What a step trains on, as people read it: the text that the model read, and the tokens that it is trained to write. */
export type Rollout = {
  /** Null where there is none, as in supervised training. */
  advantage: number | null;
  pieces: RolloutPiece[];
};

export type RolloutPiece = {
  text: string;
  isTrained: boolean;
  /** The text token by token, with the logprob of each when it was sampled, if that is known. Null if it has none. */
  tokens: { text: string; logprob: number | null }[] | null;
};

/** Rollouts of a step; the first step is 1. */
export type StepRollouts = {
  step: number;
  rollouts: Rollout[];
  /** All rollouts of the step, of which some may be left out. */
  total: number;
};
