import type { AdapterId } from '../adapter-id.ts';
import type { PackedAdapter } from '../adapters/pack.ts';
import type { Arithmetic } from '../graphs/grouped-linear.ts';
import type { ModelConfig } from '../models/config.ts';

/** A loaded model. Its steps run one after another in a separate thread. */
export type LoadedModel = {
  config: ModelConfig;
  /** Whether products use a faster method that changes results. */
  isApproximate: boolean;
  vocabSize: number;
  /** Maximum number of tokens of a sequence: that of the model, or less if memory is limited. */
  contextMax: number;
  /** The memory limit of all sequences when the model was opened, and the memory of one of full length. */
  cacheBytesMax: number;
  cacheBytesMin: number;
  /** Creates an empty sequence. All of its steps use this adapter, which must have been added. */
  createSequence(adapterId?: AdapterId | null): CachedSequence;
  /** Computes new tokens of sequences, each at most once. */
  step(requests: StepRequest[]): Promise<StepResult[]>;
  /** Creates a sequence with the first `length` computed tokens of another; null if there is not enough memory. */
  fork(sequence: CachedSequence, length: number): Promise<CachedSequence | null>;
  /** Copies tokens of a sequence so that they outlive it; null if there is not enough memory. */
  keep(sequence: CachedSequence, first: number, count: number): Promise<KeptTokens | null>;
  /** Creates a sequence from kept tokens, the first `count` of each part; null if there is not enough memory. */
  resume(parts: { kept: KeptTokens; count: number }[], adapterId: AdapterId | null): Promise<CachedSequence | null>;
  /** Splits kept tokens at `count`. */
  splitKept(kept: KeptTokens, count: number): Promise<[KeptTokens, KeptTokens]>;
  dropKept(kept: KeptTokens): void;
  /** Removes the tokens from `length` on. */
  truncate(sequence: CachedSequence, length: number): void;
  release(sequence: CachedSequence): void;
  /**
   * Changes the memory limit of all sequences, without removing any.
   * @returns the new limit: at least what they use now
   */
  limitCache(bytesMax: number): Promise<number>;
  /** @returns the memory that all sequences use. */
  cacheBytes(): Promise<number>;
  /** Transfers the buffer of its weights. Sequences can then use the adapter. */
  addAdapter(id: AdapterId, adapter: PackedAdapter): Promise<void>;
  /** Call it when no step uses the adapter any more. */
  removeAdapter(id: AdapterId): Promise<void>;
  close(): Promise<void>;
};

/** A sequence with its keys and values in the cache. */
export type CachedSequence = {
  readonly id: number;
  readonly length: number;
  /** Keys and values depend on the adapter that computed them. */
  readonly adapterId: AdapterId | null;
};

/** Keys and values that do not belong to a sequence. */
export type KeptTokens = { readonly id: number; readonly length: number };

export type StepRequest = {
  sequence: CachedSequence;
  /** The tokens after those the sequence already has; at least one. */
  tokens: Int32Array;
  /** The tokens whose output is returned. */
  wanted: 'none' | 'last' | 'all';
  /** The kind of output. Default: logits. States are those after the last norm. */
  output?: 'logits' | 'states';
  /** Default: whole rows of logits are returned. */
  reduce?: {
    /** How many of the highest logits to return for each row; at least one. */
    top: number;
    /** For each row, a token whose logit is returned too. */
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
  /** There is not enough memory; the sequence is unchanged. */
  | { kind: 'cacheFull' };

export type ReducedLogits = {
  /** `[rows, top]`, highest first. */
  topTokens: Int32Array;
  topLogits: Float32Array;
  /** `[rows]`. A logit minus this is a logprob. */
  logSumExp: Float32Array;
  /** `[rows]`, of the targets. */
  targetLogits: Float32Array;
};

export type OpenOptions = {
  /** Directory for weights in the form that is mapped into memory. Created if missing. */
  cacheDirectory: string;
  /** Maximum number of tokens of a sequence. Default: as many as the model and memory allow. */
  contextMax?: number;
  /** Memory limit of all sequences together. Default: half of the free memory. */
  cacheBytesMax?: number;
  /** Whether results are bitwise independent of the other requests of a step. By default, the last bits may differ. */
  batchInvariant?: boolean;
  /** Default: one for each processor. */
  threads?: number;
  /** How products with quantised weights are computed. Default: `exact`. */
  arithmetic?: Arithmetic;
  /** Called if the model's thread ends unexpectedly. All later steps fail. */
  onLost?: (cause: Error) => void;
};
