import { createHash } from 'node:crypto';
import type { GrammarVocabulary } from '../../engine/grammars/grammar-requests.ts';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';

/** A model's vocabulary for grammars. A grammar must not produce special tokens, except those of `writtenIds`. */
export function grammarVocabulary(
  tokenizer: Tokenizer,
  stopTokenIds: readonly number[],
  writtenIds: readonly number[] = [],
): GrammarVocabulary {
  const written = new Set(writtenIds);
  const tokens = Array.from({ length: tokenizer.vocabularySize }, (_, id) =>
    tokenizer.specialIds.has(id) && !written.has(id) ? '' : (tokenizer.tokenOf(id) ?? ''),
  );
  const hash = createHash('sha256').update(JSON.stringify([tokens, tokenizer.coding, stopTokenIds]));
  return { key: hash.digest('hex'), tokens, coding: tokenizer.coding, stopTokenIds };
}
