import type { AdapterId } from '../adapter-id.ts';
import type { ModelConfig } from '../models/config.ts';

/** A model in memory. Its steps run one after the other on a thread of its own. */
export type LoadedModel = {
  config: ModelConfig;
  vocabSize: number;
  /** The most tokens a sequence may have here: what the model allows, or less where memory does not hold so much. */
  contextMax: number;
  /** A sequence without tokens. All its steps go through this adapter. */
  createSequence(adapterId?: AdapterId | null): CachedSequence;
  /** Takes new tokens of some sequences, each at most once. */
  step(requests: StepRequest[]): Promise<StepResult[]>;
  /** A new sequence that begins with the first `length` tokens of another, and need not compute them. */
  fork(sequence: CachedSequence, length: number): Promise<CachedSequence | null>;
  /** Forgets the tokens from `length` on. */
  truncate(sequence: CachedSequence, length: number): void;
  release(sequence: CachedSequence): void;
  /**
   * Changes how much memory all sequences may take together; those that exist stay.
   * @returns the new limit: at least what they take now
   */
  limitCache(bytesMax: number): Promise<number>;
  /** @returns what all sequences take. */
  cacheBytes(): Promise<number>;
  close(): Promise<void>;
};

/** Tokens whose keys and values the engine keeps. */
export type CachedSequence = {
  readonly id: number;
  readonly length: number;
  /** Keys and values depend on the adapter that computed them. */
  readonly adapterId: AdapterId | null;
};

export type StepRequest = {
  sequence: CachedSequence;
  /** What follows the tokens that the sequence has already; at least one. */
  tokens: Int32Array;
  /** After which of these tokens the distribution of the next one is wanted. */
  wanted: 'none' | 'last' | 'all';
  /** Left out, whole rows of logits come back. */
  reduce?: {
    /** How many of the highest logits of each row, at least one. */
    top: number;
    /** A token for each row whose logit is wanted besides. */
    targets?: Int32Array;
  };
};

export type StepResult =
  | { kind: 'none' }
  /** `[rows, vocabulary]` */
  | { kind: 'logits'; logits: Float32Array }
  | ({ kind: 'reduced' } & ReducedLogits)
  /** Memory does not hold that many tokens; the sequence is as it was. */
  | { kind: 'cacheFull' };

export type ReducedLogits = {
  /** `[rows, top]`, the highest first. */
  topTokens: Int32Array;
  topLogits: Float32Array;
  /** `[rows]`; a logit less this is a logprob. */
  logSumExp: Float32Array;
  /** `[rows]`, of the targets. */
  targetLogits: Float32Array;
};

export type OpenOptions = {
  /** Where the weights are kept in the form that is mapped into memory; made where it is missing. */
  cacheDirectory: string;
  /** How many tokens a sequence may have; left out, as many as the model allows and memory holds. */
  contextMax?: number;
  /** How much memory all sequences may take together; left out, half of what is free. */
  cacheBytesMax?: number;
  /** Left out, one for each processor. */
  threads?: number;
  /** Called when the thread of the model has ended although nobody closed it: every later step fails. */
  onLost?: (cause: Error) => void;
};
