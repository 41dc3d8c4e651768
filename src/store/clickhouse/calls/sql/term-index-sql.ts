import type { PayloadColumn } from '../../../../domain/calls/call-field.ts';
import { placeOf, soughtTerms } from '../../../../domain/calls/terms/sought-terms.ts';
import { isLikeNumber, soughtWords } from '../../../../domain/calls/terms/sought-words.ts';
import { hiddenDigitsTerm, hiddenLettersTerm, unindexedTerm } from '../../../../domain/calls/terms/terms.ts';
import type { PathStep } from '../../../../domain/query/field-path.ts';
import type { Exactly, JsonIndex } from '../../query/expression.ts';
import { plainSql, type Sql, sqlOf } from '../../query/sql.ts';
import type { SqlParams } from '../../query/sql-params.ts';

/**
 * Conditions on the value at a path of a payload, answered by the indexes of calls (decisions/0005). Documents without
 * terms are read, unless the project is known to have none: naming a payload in the SQL is enough to have it read.
 */
export function termIndex(
  column: PayloadColumn,
  path: PathStep[],
  { areAllIndexed, params }: { areAllIndexed: boolean; params: SqlParams },
): JsonIndex {
  const place = placeOf(column, path);
  const hasAny = (terms: string[]) => `hasAny(terms, ${params.strings(terms)})`;
  const orUnindexed = (told: string, exactly: Exactly) =>
    areAllIndexed
      ? plainSql(`(${told})`)
      : both(exactly, (sql) => `(${told} OR (${hasAny([unindexedTerm(column)])} AND ${sql}))`);
  return {
    equals(literals, exactly) {
      const sought = place === null ? null : soughtTerms(place, literals);
      if (sought === null) return exactly();
      if (sought.isEnough) return orUnindexed(hasAny(sought.terms), exactly);
      return both(exactly, (sql) => `(${hasAny([...sought.terms, unindexedTerm(column)])} AND ${sql})`);
    },
    contains(text, exactly) {
      const words = columnsWithWords.has(column) ? soughtWords(text) : [];
      if (words.length === 0) return exactly();
      const haveWords = words.map((word) => `${column} ILIKE ${params.string(`%${word}%`)}`);
      const hiding = [hiddenLettersTerm(column), ...(words.some(isLikeNumber) ? [hiddenDigitsTerm(column)] : [])];
      return both(exactly, (sql) => `(((${haveWords.join(' AND ')}) OR ${hasAny(hiding)}) AND ${sql})`);
    },
    compares(operator, value, exactly) {
      if (place === null) return exactly();
      const { sql, isNumber } = numberAt(place, params);
      return orUnindexed(`${isNumber} AND ${sql} ${operator} ${params.bind('Float64', String(value))}`, exactly);
    },
    number: place !== null && areAllIndexed ? numberAt(place, params) : null,
  };
}

/** Derives a condition from the exact one. */
function both(exactly: Exactly, write: (sql: string) => string): Sql {
  const exact = exactly();
  return sqlOf(write(exact.sql), exact);
}

function numberAt(place: string, params: SqlParams): { sql: string; isNumber: string } {
  const key = params.string(place);
  return { sql: `numbers[${key}]`, isNumber: `mapContains(numbers, ${key})` };
}

/** The payloads whose words are indexed. */
const columnsWithWords: ReadonlySet<PayloadColumn> = new Set(['inputs']);
