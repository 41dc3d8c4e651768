import { compareCodePoints } from '../../../util/compare-code-points.ts';
import type { Comparison } from '../operation.ts';
import { condition, type Expression, literalLike, noCommonType, type RowField, type Value } from './row-field.ts';

/** Compares two values; the result is unknown if one of them is unset. @throws Failure if their types do not match. */
export function compareFields<Row>(
  kind: Comparison,
  left: Expression<Row>,
  right: Expression<Row>,
): RowField<Row> & { read(row: Row): boolean | null } {
  if (isNull(right)) {
    // Only a null on the right side tests for unset values.
    if (kind === 'eq' && left.kind !== 'literal') return condition((row) => left.read(row) === null);
    return condition(() => null);
  }
  if (isNull(left)) return condition(() => null);
  const common = commonKind(left, right);
  const [readLeft, readRight] = [readAs(left, right, common), readAs(right, left, common)];
  const holds = tests[kind];
  return condition((row) => {
    const [a, b] = [readLeft(row), readRight(row)];
    return a === null || b === null ? null : holds(compareValues(a, b));
  });
}

/**
 * The order of two values of one type, for `sort`. Strings are compared by code point, which is also their byte order.
 */
export function compareValues(a: NonNullable<Value>, b: NonNullable<Value>): number {
  if (typeof a === 'string' && typeof b === 'string') return compareCodePoints(a, b);
  const [x, y] = [asNumber(a), asNumber(b)];
  return x < y ? -1 : x > y ? 1 : 0; // exact between bigint and number
}

const tests: Record<Comparison, (order: number) => boolean> = {
  eq: (order) => order === 0,
  gt: (order) => order > 0,
  lt: (order) => order < 0,
  gte: (order) => order >= 0,
  lte: (order) => order <= 0,
};

function isNull<Row>(expression: Expression<Row>): boolean {
  return expression.kind === 'literal' && expression.literal.type === 'null';
}

type Kind = RowField<unknown>['kind'];

function commonKind<Row>(left: Expression<Row>, right: Expression<Row>): Kind {
  const [a, b] = [kindOf(left), kindOf(right)];
  if (left.kind === 'literal' && right.kind !== 'literal') return b;
  if (right.kind === 'literal' && left.kind !== 'literal') return a;
  if (a === b) return a;
  if (isNumeric(a) && isNumeric(b)) return 'number';
  throw noCommonType(left, right);
}

function kindOf<Row>(expression: Expression<Row>): Kind {
  if (expression.kind !== 'literal') return expression.kind;
  return expression.literal.type === 'string' ? 'text' : 'number';
}

function isNumeric(kind: Kind): boolean {
  return kind === 'number' || kind === 'bool';
}

function readAs<Row>(expression: Expression<Row>, beside: Expression<Row>, kind: Kind): (row: Row) => Value {
  if (expression.kind !== 'literal') return expression.read;
  const value = literalLike(expression.literal, beside, kind);
  return () => value;
}

function asNumber(value: NonNullable<Value>): number | bigint {
  return typeof value === 'bigint' ? value : Number(value);
}
