/** The tokens a call reports for one model. */
export type CallUsage = {
  model: string;
  requests: number;
  /** Under either name: `prompt_tokens` and `input_tokens`. */
  input: number;
  /** Under either name: `completion_tokens` and `output_tokens`. */
  output: number;
  /** Null where none was reported. */
  total: number | null;
  cacheRead: number;
  cacheCreation: number;
};

/** The counts that prices apply to. */
export type TokenCounts = Pick<CallUsage, 'input' | 'output' | 'cacheRead' | 'cacheCreation'>;
