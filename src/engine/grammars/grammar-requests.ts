import type { ByteCoding } from '../../chat/tokenizer/token-bytes.ts';
import type { Constraint } from '../../chat/structured/constraint.ts';

/** A vocabulary as a grammar process needs it. */
export type GrammarVocabulary = {
  /** Which tokenizer this is: equal keys mean equal vocabularies. */
  key: string;
  /** By id; empty for tokens that no grammar may produce. */
  tokens: readonly string[];
  coding: ByteCoding;
  /** What ends the output where the grammar is complete. */
  stopTokenIds: readonly number[];
};

export type GrammarRequest =
  | { kind: 'vocabulary'; vocabulary: GrammarVocabulary }
  | { kind: 'parse'; constraint: Constraint }
  | { kind: 'compile'; vocabulary: string; constraint: Constraint }
  | { kind: 'open'; session: number; vocabulary: string; constraint: Constraint; accepted: readonly number[] }
  | { kind: 'step'; session: number; token: number }
  | { kind: 'rollback'; session: number; tokens: number }
  | { kind: 'jump'; session: number }
  | { kind: 'close'; session: number };

/** Where a sequence stands: may it go on, and what may come next. */
export type StateReply = {
  /** Whether the last token was allowed. */
  accepted: boolean;
  /** The output is complete, nothing may follow. */
  terminated: boolean;
  /** Null where it is the same as in the last reply, or where nothing may follow. */
  mask: Int32Array | null;
  /** Processor time that it took to find out. */
  ms: number;
};

/** To `compile` the processor time in ms, to `jump` a text, to `open`, `step` and `rollback` where the sequence stands. */
export type GrammarReply = StateReply | number | string | null;
