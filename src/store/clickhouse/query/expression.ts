import type { Literal } from '../../../domain/query/operation.ts';
import { type Source, type Sql, sqlOf } from './sql.ts';

/**
 * A piece of SQL with its type. `sql` is NULL if the value is unset or cannot be converted; `isSet` tests whether there
 * is a value.
 */
export type Expression = FieldExpression | { kind: 'literal'; literal: Literal };

export type FieldExpression = FieldValue & {
  /** What the value is read from in addition to the table; empty for a column. */
  sources?: readonly Source[];
};

type FieldValue =
  /**
   * A JSON value as text, the empty string if it is null or missing; the value it is compared with decides its cast.
   */
  | { kind: 'json'; sql: string; isSet: string; index?: JsonIndex; entries?: Entries }
  | { kind: 'text' | 'number' | 'bool' | 'time' | 'list'; sql: string; isSet: string };

/**
 * Conditions on a value that may occur several times: they are true if they are true for one occurrence, and are never
 * unknown.
 */
export type Entries = {
  /** Whether one of them equals one of the strings. */
  equal(texts: string[]): Sql;
  /** Whether one of them passes; `test` gets the SQL of an entry. */
  pass(test: (entry: string) => string): Sql;
  none: Sql;
};

/** A condition on a value, which may use different SQL than its field. */
export type Exactly = (value?: FieldExpression) => Sql;

/**
 * Conditions that match the same rows as `exactly`, by an index if one covers them. Only for choosing rows: they may be
 * false where `exactly` is unknown.
 */
export type JsonIndex = {
  /** Whether the value equals one of the literals. */
  equals(literals: Literal[], exactly: Exactly): Sql;
  contains(text: string, exactly: Exactly): Sql;
  /** Whether the value compares with a number that a double holds. */
  compares(operator: string, value: number, exactly: Exactly): Sql;
  /** The value as a number and whether it is one; null if the index does not know it for every row. */
  number: { sql: string; isNumber: string } | null;
};

/** Resolves a field path of a query. @throws Failure for an unknown field. */
export type ResolveField = (path: string) => FieldExpression;

/** Neither true nor false. */
export const unknown = 'CAST(NULL AS Nullable(UInt8))';

export function condition({ sql, sources }: Sql): FieldExpression {
  return { kind: 'bool', sql, isSet: `isNotNull(${sql})`, sources };
}

/** The SQL of a condition on these values. */
export function sqlOn(sql: string, ...values: Expression[]): Sql {
  return sqlOf(sql, ...values.filter((value) => value.kind !== 'literal'));
}
