/** How a job of direct preference optimization trains. */
export type DpoSettings = {
  /** Pairs of one optimizer step. */
  batchSize: number;
  learningRate: number;
  /** How often each pair is trained on. */
  epochs: number;
  /** How strongly the model is kept close to the one that the job started from. */
  beta: number;
};
