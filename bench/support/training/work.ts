/** Steps of LoRA training: rank 8 on every linear layer, each step all rows at once. */
export type Work = { path: string; rows: number; length: number; steps: number };

export type WorkDone = {
  /** Of each step after the first, which warms up. */
  ms: number[];
  /** Of the process. */
  peakBytes: number;
};
