/** A tensor as clients send it, with its values in one array. */
export type Tensor = {
  shape: number[];
  values: Float32Array | Int32Array;
  /** For a compressed sparse matrix: the first value of each row and the end, and the column of each value. */
  sparse: { rowStarts: number[]; columns: number[] } | null;
};

/** One sequence, and what its loss needs: `target_tokens`, `weights`, `advantages`, `logprobs`, … */
export type Datum = { tokens: Int32Array; inputs: ReadonlyMap<string, Tensor> };

/** A forward pass, with or without the backward pass. */
export type TrainingRequest = {
  modelId: string;
  /** Null if the client does not number its requests. */
  seqId: number | null;
  data: Datum[];
  lossName: string;
  lossConfig: ReadonlyMap<string, number | string>;
  isForwardOnly: boolean;
};
