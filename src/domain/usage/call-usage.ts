/** The tokens a call reports for one model. */
export type CallUsage = {
  model: string;
  /** The provider in the words of the sender; empty if unknown. */
  provider: string;
  /** The tracer that reports them, of a span; null of other calls, and of spans that were stored without it. */
  tracer: string | null;
  requests: number;
  /** Under either name: `prompt_tokens` and `input_tokens`. */
  input: number;
  /** Under either name: `completion_tokens` and `output_tokens`. */
  output: number;
  /** Null where none was reported. */
  total: number | null;
  cacheRead: number;
  cacheCreation: number;
  /** Parts of these counts that may have prices of their own, and what else is paid. */
  parts: UsageParts;
};

export type UsagePart =
  /** Of the tokens written to the cache, those that stay there for an hour. */
  | 'cache_creation_1h'
  | 'input_audio'
  | 'cached_audio'
  | 'output_audio'
  | 'input_image'
  | 'cached_image'
  | 'output_image'
  | 'input_video'
  | 'output_video'
  | 'reasoning'
  | 'web_searches'
  /** Uses of tools of the provider that have fees beside tokens: searches of files, runs of code, images. */
  | 'other_fees'
  /** Requests made under terms that cost more than the usual ones, as prioritized processing does. */
  | 'dearer_terms'
  /** Requests made under terms that may cost less, such as batches. */
  | 'other_terms'
  /** Counts that were sent as something that is not a number of tokens. */
  | 'ignored_counts';
/** Parts that may have a price of their own. */
export type PricedPart = Exclude<UsagePart, 'other_fees' | 'dearer_terms' | 'other_terms' | 'ignored_counts'>;
export type UsageParts = { [Part in UsagePart]?: number };

/** The counts that prices apply to. */
export type TokenCounts = Pick<CallUsage, 'input' | 'output' | 'total' | 'cacheRead' | 'cacheCreation' | 'parts'>;

/** What chooses a price: the model, where it was asked, and the length of the prompt. */
export type PricedUsage = Pick<CallUsage, 'model' | 'provider' | 'input' | 'requests'>;
