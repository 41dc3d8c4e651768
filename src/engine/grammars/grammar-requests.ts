import type { Constraint } from './constraint.ts';

/** How a vocabulary writes bytes: as one character each, or as text with `▁` for spaces and `<0x0A>` for single bytes. */
export type ByteCoding = 'byte_level' | 'byte_fallback';

/** A vocabulary as a grammar process needs it. */
export type GrammarVocabulary = {
  /** Equal keys mean equal vocabularies. */
  key: string;
  /** By id; empty for tokens that a grammar must not produce. */
  tokens: readonly string[];
  coding: ByteCoding;
  /** The tokens that end the output once the grammar is complete. */
  stopTokenIds: readonly number[];
};

export type GrammarRequest =
  | { kind: 'vocabulary'; vocabulary: GrammarVocabulary }
  | { kind: 'parse'; constraint: Constraint }
  | { kind: 'compile'; vocabulary: string; constraint: Constraint }
  | { kind: 'open'; session: number; vocabulary: string; constraint: Constraint; accepted: readonly number[] }
  | { kind: 'step'; session: number; token: number }
  | { kind: 'close'; session: number };

/** The state of a sequence: whether it may continue, and which tokens may come next. */
export type StateReply = {
  /** The last token was allowed. */
  isAccepted: boolean;
  /** The output is complete, nothing may follow. */
  isComplete: boolean;
  /** Null if it is the same as in the last reply, or if nothing may follow. */
  mask: Int32Array | null;
  /** Processor time this took. */
  ms: number;
};

/** To `compile` the processor time in ms, to `open` and `step` the state of the sequence. */
export type GrammarReply = StateReply | number | null;
