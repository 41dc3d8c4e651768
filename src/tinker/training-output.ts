/** What a forward pass returns, for each datum the logprobs of its targets. */
export type TrainingOutput = {
  logprobs: { shape: number[]; values: Float32Array }[];
  /** Named `name:reduction`, as clients combine those of several requests. */
  metrics: Record<string, number>;
};

/** What sampling returns. */
export type SamplingOutput = {
  sequences: {
    isStopped: boolean;
    tokens: number[];
    logprobs: number[];
    top: TopLogprobs[] | null;
  }[];
  /** Null for the first token, which has none. */
  promptLogprobs: (number | null)[] | null;
  promptTop: (TopLogprobs | null)[] | null;
  cachedTokens: number;
};

/** The most likely tokens at one position, best first. */
export type TopLogprobs = { token: number; logprob: number }[];
