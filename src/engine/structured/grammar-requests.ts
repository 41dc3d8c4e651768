import type { ByteCoding } from '../text/tokenizer/token-bytes.ts';
import type { Constraint } from './constraint.ts';

/** A vocabulary as the grammar thread needs it. */
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
  | { kind: 'mask'; session: number }
  | { kind: 'step'; session: number; token: number }
  | { kind: 'rollback'; session: number; tokens: number }
  | { kind: 'jump'; session: number }
  | { kind: 'close'; session: number };

/** After a token: was it allowed, is the output complete, and what may come next. */
export type StepReply = { accepted: boolean; terminated: boolean; mask: Int32Array | null };
