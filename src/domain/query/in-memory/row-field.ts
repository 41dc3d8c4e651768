import { invalidInput } from '../../../util/failures.ts';
import { formatTimestamp, parseTimestamp } from '../../../util/timestamp.ts';
import type { Literal } from '../operation.ts';

/** A value read from a row. Times are microseconds since 1970; null means unset or not convertible. */
export type RowField<Row> = { kind: 'text' | 'number' | 'bool' | 'time'; read(row: Row): Value };
export type Value = string | number | bigint | boolean | null;

export type Expression<Row> = RowField<Row> | { kind: 'literal'; literal: Literal };

export function condition<Row>(read: (row: Row) => boolean | null): RowField<Row> & { read(row: Row): boolean | null } {
  return { kind: 'bool', read };
}

/** The value as a string. */
export function textOf<Row>(expression: Expression<Row>): (row: Row) => string | null {
  if (expression.kind === 'literal') {
    const text = expression.literal.type === 'null' ? null : String(expression.literal.value);
    return () => text;
  }
  return (row) => {
    const value = expression.read(row);
    return value === null ? null : expression.kind === 'time' ? formatTimestamp(Number(value)) : String(value);
  };
}

/** The value as a condition. @throws Failure if it cannot be one. */
export function truthOf<Row>(expression: Expression<Row>): (row: Row) => boolean | null {
  if (expression.kind === 'bool' || expression.kind === 'number') {
    return (row) => {
      const value = expression.read(row);
      return value === null ? null : Number(value) !== 0;
    };
  }
  if (expression.kind === 'literal') {
    const { literal } = expression;
    if (literal.type === 'null') return () => null;
    if (literal.type !== 'string') return () => Number(literal.value) !== 0;
  }
  throw invalidInput(`$and, $or and $not join conditions, found a ${kindName(expression)}: compare it with something`);
}

/** A literal converted to the type it is compared with. @throws Failure if that is impossible. */
export function literalLike<Row>(literal: Literal, beside: Expression<Row>, kind: RowField<Row>['kind']): Value {
  const found = { kind: 'literal', literal } as const;
  if (literal.type === 'null') return null;
  if (kind === 'text') {
    if (literal.type !== 'string') throw noCommonType(beside, found);
    return literal.value;
  }
  if (kind === 'time') {
    if (literal.type === 'bool') throw noCommonType(beside, found);
    const micros = parseTimestamp(typeof literal.value === 'bigint' ? Number(literal.value) : literal.value);
    if (micros !== null) return micros;
    throw invalidInput(
      `${JSON.stringify(String(literal.value))} is not a time: expected Unix seconds or ISO 8601 such as 2026-01-31T12:00:00Z`,
    );
  }
  if (literal.type !== 'string') return literal.value;
  const number = parseNumber(literal.value);
  if (number === null) throw noCommonType(beside, found);
  return number;
}

export function noCommonType<Row>(left: Expression<Row>, right: Expression<Row>) {
  return invalidInput(`A ${kindName(left)} cannot be compared with a ${kindName(right)}; $convert one of them`);
}

/** A description of the expression, for messages. */
export function kindName<Row>(expression: Expression<Row>): string {
  if (expression.kind === 'literal') return `literal of type ${expression.literal.type}`;
  return expression.kind === 'bool' ? 'truth value' : expression.kind;
}

/** A numeric string as a number. */
export function parseNumber(text: string): number | null {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isNaN(number) ? null : number;
}
