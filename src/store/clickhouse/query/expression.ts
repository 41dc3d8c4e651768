import type { Literal } from '../../../domain/query/operation.ts';
import { type Source, type Sql, sqlOf } from './sql.ts';

/**
 * A piece of SQL together with what it yields. `sql` is NULL where the value is unset or does not convert; `isSet`
 * tests whether there is a value.
 */
export type Expression = FieldExpression | { kind: 'literal'; literal: Literal };

export type FieldExpression = FieldValue & {
  /** What the value is read from, beside the table; nothing where it is a column. */
  sources?: readonly Source[];
};

type FieldValue =
  /** A JSON value as text, the empty text where it is null or missing; what it is compared with decides its cast. */
  | { kind: 'json'; sql: string; isSet: string; index?: JsonIndex; entries?: Entries }
  | { kind: 'text' | 'number' | 'bool' | 'time' | 'list'; sql: string; isSet: string };

/** Conditions on a value that may be there several times: they hold if they hold for one, and are never unknown. */
export type Entries = {
  /** Whether one of them equals one of the texts. */
  equal(texts: string[]): Sql;
  /** Whether one of them passes; `test` is given the SQL of an entry. */
  pass(test: (entry: string) => string): Sql;
  none: Sql;
};

/** A condition on a value, which may be given in other SQL than that of its field. */
export type Exactly = (value?: FieldExpression) => Sql;

/**
 * Conditions that find the same rows as `exactly` does, by an index where it tells of them. Only for rows that are
 * chosen by it: what does not match may be false where `exactly` is unknown.
 */
export type JsonIndex = {
  /** Whether the value equals one of the literals. */
  equals(literals: Literal[], exactly: Exactly): Sql;
  contains(text: string, exactly: Exactly): Sql;
  /** Whether the value compares with a number that a double holds. */
  compares(operator: string, value: number, exactly: Exactly): Sql;
  /** The value as a number and whether it is one; null where the index cannot tell it of every row. */
  number: { sql: string; isNumber: string } | null;
};

/** Finds what a field path of a query means. @throws Failure for an unknown field. */
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
