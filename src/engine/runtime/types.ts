import type { AdapterId } from '../adapter-id.ts';
import type { PackedAdapter } from '../adapters/pack.ts';
import type { Arithmetic } from '../graphs/grouped-linear.ts';
import type { ModelConfig } from '../models/config.ts';

/** A model in memory. Its steps run one after the other on its own thread. */
export type LoadedModel = {
  config: ModelConfig;
  /** Whether products are computed in a faster way that changes what the model says. */
  isApproximate: boolean;
  vocabSize: number;
  /** The maximum tokens of a sequence: what the model allows, or less if memory does not suffice. */
  contextMax: number;
  /** The memory of all sequences together when the model was opened, and that of one of full length. */
  cacheBytesMax: number;
  cacheBytesMin: number;
  /** A sequence without tokens. All its steps go through this adapter, which was added. */
  createSequence(adapterId?: AdapterId | null): CachedSequence;
  /** Computes new tokens of some sequences, each at most once. */
  step(requests: StepRequest[]): Promise<StepResult[]>;
  /** A new sequence with the first `length` tokens of another, already computed; null if memory does not suffice. */
  fork(sequence: CachedSequence, length: number): Promise<CachedSequence | null>;
  /** Copies tokens of a sequence from `first` on, to keep them without it; null if memory does not suffice. */
  keep(sequence: CachedSequence, first: number, count: number): Promise<KeptTokens | null>;
  /** A new sequence that begins with kept tokens, the first `count` of each; null if memory does not suffice. */
  resume(parts: { kept: KeptTokens; count: number }[], adapterId: AdapterId | null): Promise<CachedSequence | null>;
  /** Divides kept tokens in two: `[0, count)` and the others. */
  splitKept(kept: KeptTokens, count: number): Promise<[KeptTokens, KeptTokens]>;
  dropKept(kept: KeptTokens): void;
  /** Removes the tokens from `length` on. */
  truncate(sequence: CachedSequence, length: number): void;
  release(sequence: CachedSequence): void;
  /**
   * Changes how much memory all sequences may take together; those that exist stay.
   * @returns the new limit: at least what they take now
   */
  limitCache(bytesMax: number): Promise<number>;
  /** @returns what all sequences take. */
  cacheBytes(): Promise<number>;
  /** Takes over the buffer of its weights. Sequences may go through the adapter from then on. */
  addAdapter(id: AdapterId, adapter: PackedAdapter): Promise<void>;
  /** No step may use it any more. */
  removeAdapter(id: AdapterId): Promise<void>;
  close(): Promise<void>;
};

/** Tokens whose keys and values the engine keeps. */
export type CachedSequence = {
  readonly id: number;
  readonly length: number;
  /** Keys and values depend on the adapter that computed them. */
  readonly adapterId: AdapterId | null;
};

/** Keys and values that belong to no sequence. */
export type KeptTokens = { readonly id: number; readonly length: number };

export type StepRequest = {
  sequence: CachedSequence;
  /** The tokens after those that the sequence has already; at least one. */
  tokens: Int32Array;
  /** After which of these tokens logits are wanted. */
  wanted: 'none' | 'last' | 'all';
  /** What is wanted after them; left out, logits. States are those after the last norm. */
  output?: 'logits' | 'states';
  /** Left out, whole rows of logits are returned. */
  reduce?: {
    /** How many of the highest logits of each row, at least one. */
    top: number;
    /** For each row a token whose logit is wanted too. */
    targets?: Int32Array;
  };
};

export type StepResult =
  | { kind: 'none' }
  /** `[rows, vocabulary]` */
  | { kind: 'logits'; logits: Float32Array }
  /** `[rows, hidden]` */
  | { kind: 'states'; states: Float32Array }
  | ({ kind: 'reduced' } & ReducedLogits)
  /** Memory does not hold so many tokens; the sequence is unchanged. */
  | { kind: 'cacheFull' };

export type ReducedLogits = {
  /** `[rows, top]`, the highest first. */
  topTokens: Int32Array;
  topLogits: Float32Array;
  /** `[rows]`; a logit minus this is a logprob. */
  logSumExp: Float32Array;
  /** `[rows]`, of the targets. */
  targetLogits: Float32Array;
};

export type OpenOptions = {
  /** The directory of weights in the form that is mapped into memory; created if missing. */
  cacheDirectory: string;
  /** The maximum tokens of a sequence; left out, as many as the model allows and memory holds. */
  contextMax?: number;
  /** How much memory all sequences may take together; left out, half of what is free. */
  cacheBytesMax?: number;
  /** Whether results are bitwise independent of what else a step computes; left out, the last bits may differ. */
  batchInvariant?: boolean;
  /** Left out, one for each processor. */
  threads?: number;
  /** How products with quantised weights are computed; left out, exactly. */
  arithmetic?: Arithmetic;
  /** Called when the model's thread ends without having been closed: every later step fails. */
  onLost?: (cause: Error) => void;
};
