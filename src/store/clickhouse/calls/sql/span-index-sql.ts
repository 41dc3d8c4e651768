import { isLikeNumber, soughtWords } from '../../../../domain/calls/terms/sought-words.ts';
import type { Literal } from '../../../../domain/query/operation.ts';
import type { JsonIndex } from '../../query/expression.ts';
import { sqlOf } from '../../query/sql.ts';
import type { SqlParams } from '../../query/sql-params.ts';

/**
 * Spans have no terms. To find a string at some location, still only few of them are parsed: those that contain its
 * longest word anywhere, those whose letters may be written as escapes, and calls that were not spans.
 */
export function spanIndex(params: SqlParams): JsonIndex {
  return {
    equals(literals, exactly) {
      const words = literals.map(wordOf);
      if (words.length > wordsMax || !words.every((word) => word !== null)) return exactly();
      // One pass for all of them: separate searches add up, and on repetitive text their cost multiplies.
      const holdsOne = `match(otel_dump, ${params.string([...new Set(words)].join('|'))})`;
      const mayHideOne = `otel_dump = '' OR position(otel_dump, ${params.string('\\u00')}) > 0`;
      const exact = exactly();
      return sqlOf(`((${holdsOne} OR ${mayHideOne}) AND ${exact.sql})`, exact);
    },
    contains: (_text, exactly) => exactly(),
    compares: (_operator, _value, exactly) => exactly(),
    number: null,
  };
}

/** A word that a span must contain if a string in it equals this literal. A number could be written in other ways. */
function wordOf(literal: Literal): string | null {
  if (literal.type !== 'string') return null;
  return soughtWords(literal.value).find((word) => !isLikeNumber(word)) ?? null;
}

/** The pattern stays small. */
const wordsMax = 255;
