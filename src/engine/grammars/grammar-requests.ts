import type { Constraint } from './constraint.ts';

/** How a vocabulary encodes bytes: one character each, or text with `▁` for spaces and `<0x0A>` for single bytes. */
export type ByteCoding = 'byte_level' | 'byte_fallback';

/** A vocabulary in the form that a grammar process needs. */
export type GrammarVocabulary = {
  /** Equal keys mean equal vocabularies. */
  key: string;
  /** By id. Tokens that a grammar must not produce are empty. */
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
  /** Whether the last token was allowed. */
  isAccepted: boolean;
  /** Whether the output is complete, so that nothing may follow. */
  isComplete: boolean;
  /** Null if it has not changed since the last reply, or if nothing may follow. */
  mask: Int32Array | null;
  /** The processor time of this request. */
  ms: number;
};

/** `compile`: the processor time in ms. `open` and `step`: the state of the sequence. */
export type GrammarReply = StateReply | number | null;
