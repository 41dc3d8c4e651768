import type { Comparison, Literal } from '../../../domain/query/operation.ts';
import { invalidInput } from '../../../util/failures.ts';
import { parseTimestamp } from '../../../util/timestamp.ts';
import { kindName, textSql, textToBoolSql, textToFloatSql } from './casts.ts';
import { type Expression, type FieldExpression, sqlOn, unknown } from './expression.ts';
import { plainSql, type Sql } from './sql.ts';
import type { SqlParams } from './sql-params.ts';

/** Compares two values. The result is NULL, neither true nor false, if one of them is unset or cannot be converted. */
export function compareSql(kind: Comparison, left: Expression, right: Expression, params: SqlParams): Sql {
  if (right.kind === 'literal' && left.kind !== 'literal') return compareWithLiteral(kind, left, right.literal, params);
  if (left.kind === 'literal' && right.kind !== 'literal') {
    if (left.literal.type === 'null') return plainSql(unknown); // only a null on the right tests for being unset
    return compareWithLiteral(mirrored[kind], right, left.literal, params);
  }
  if (left.kind === 'literal' && right.kind === 'literal') return plainSql(compareLiterals(kind, left, right, params));
  return sqlOn(compareFields(kind, left as FieldExpression, right as FieldExpression, params), left, right);
}

export const sqlOperators = { eq: '=', gt: '>', lt: '<', gte: '>=', lte: '<=' } as const;
export const mirrored = { eq: 'eq', gt: 'lt', lt: 'gt', gte: 'lte', lte: 'gte' } as const;

type NumberLiteral = Extract<Literal, { type: 'int' | 'float' }>;

function compareWithLiteral(kind: Comparison, field: FieldExpression, literal: Literal, params: SqlParams): Sql {
  if (kind === 'eq' && field.kind === 'json' && field.entries) {
    return literal.type === 'null' ? field.entries.none : field.entries.equal([String(literal.value)]);
  }
  if (literal.type === 'null' && (kind !== 'eq' || field.kind === 'json')) return plainSql(unknown);
  return sqlOn(compareValueWithLiteral(kind, field, literal, params), field);
}

function compareValueWithLiteral(
  kind: Comparison,
  field: FieldExpression,
  literal: Literal,
  params: SqlParams,
): string {
  const operator = sqlOperators[kind];
  if (literal.type === 'null') return `(NOT (${field.isSet}))`;
  switch (field.kind) {
    case 'json':
      switch (literal.type) {
        case 'string':
          return `(${field.sql} ${operator} ${params.string(literal.value)})`;
        case 'bool':
          return `(${textToBoolSql(field.sql)} ${operator} ${Number(literal.value)})`;
        default:
          return compareTextNumber(operator, field.sql, literal, params);
      }
    case 'text':
    case 'list':
      if (literal.type !== 'string') throw noCommonType(field, { kind: 'literal', literal });
      return `(${textSql(field, params)} ${operator} ${params.string(literal.value)})`;
    case 'number':
    case 'bool':
      return `(${field.sql} ${operator} ${numberSql(literal, field, params)})`;
    case 'time':
      return `(${field.sql} ${operator} ${timeSql(literal, field, params)})`;
    default:
      return field satisfies never;
  }
}

/** Numeric strings count as numbers. Integers that a double would round are compared digit by digit. */
function compareTextNumber(operator: string, text: string, literal: NumberLiteral, params: SqlParams): string {
  const asFloat = `${textToFloatSql(text)} ${operator} ${params.bind('Float64', floatText(literal))}`;
  if (literal.type === 'float' || isExactAsFloat(literal.value) || !fitsInt256(literal.value)) return `(${asFloat})`;
  const asInt = `toInt256OrNull(${text}) ${operator} ${params.bind('Int256', String(literal.value))}`;
  return `if(isNull(toInt256OrNull(${text})), ${asFloat}, ${asInt})`;
}

function compareFields(kind: Comparison, left: FieldExpression, right: FieldExpression, params: SqlParams): string {
  const operator = sqlOperators[kind];
  const isNumeric = ({ kind }: FieldExpression) => kind === 'number' || kind === 'bool';
  const isTextual = ({ kind }: FieldExpression) => kind === 'text' || kind === 'json' || kind === 'list';
  if (isNumeric(left) && isNumeric(right)) return `(${left.sql} ${operator} ${right.sql})`;
  if (left.kind === 'time' && right.kind === 'time') return `(${left.sql} ${operator} ${right.sql})`;
  if (isTextual(left) && isTextual(right)) return `(${textSql(left, params)} ${operator} ${textSql(right, params)})`;
  if (left.kind === 'json' && isNumeric(right)) return `(${castLike(right, left.sql)} ${operator} ${right.sql})`;
  if (right.kind === 'json' && isNumeric(left)) return `(${left.sql} ${operator} ${castLike(left, right.sql)})`;
  throw noCommonType(left, right);
}

function castLike(other: FieldExpression, text: string): string {
  return other.kind === 'bool' ? textToBoolSql(text) : textToFloatSql(text);
}

function compareLiterals(
  kind: Comparison,
  left: { kind: 'literal'; literal: Literal },
  right: { kind: 'literal'; literal: Literal },
  params: SqlParams,
): string {
  if (left.literal.type === 'null' || right.literal.type === 'null') return unknown;
  const areTexts = [left, right].map(({ literal }) => literal.type === 'string');
  if (areTexts[0] !== areTexts[1]) throw noCommonType(left, right);
  const sql = ({ literal }: typeof left) =>
    areTexts[0] ? textSql({ kind: 'literal', literal }, params) : numberSql(literal, left, params);
  return `(${sql(left)} ${sqlOperators[kind]} ${sql(right)})`;
}

/** A literal compared with a number: numeric strings are numbers too. */
function numberSql(literal: Literal, beside: Expression, params: SqlParams): string {
  switch (literal.type) {
    case 'bool':
      return String(Number(literal.value));
    case 'int':
      if (fitsInt64(literal.value)) return params.bind('Int64', String(literal.value));
      return params.bind('Float64', floatText(literal));
    case 'float':
      return params.bind('Float64', floatText(literal));
    case 'string': {
      const value = Number(literal.value);
      if (literal.value.trim() !== '' && !Number.isNaN(value))
        return params.bind('Float64', floatText({ type: 'float', value }));
      throw noCommonType(beside, { kind: 'literal', literal });
    }
    default:
      throw noCommonType(beside, { kind: 'literal', literal });
  }
}

/** A literal compared with a time: Unix seconds or ISO 8601. @throws Failure if it is neither. */
export function timeSql(literal: Literal, beside: Expression, params: SqlParams): string {
  if (literal.type === 'bool' || literal.type === 'null') throw noCommonType(beside, { kind: 'literal', literal });
  const micros = parseTimestamp(typeof literal.value === 'bigint' ? Number(literal.value) : literal.value);
  if (micros === null) {
    throw invalidInput(
      `${JSON.stringify(String(literal.value))} is not a time: expected Unix seconds or ISO 8601 such as 2026-01-31T12:00:00Z`,
    );
  }
  return params.time(micros);
}

export function noCommonType(left: Expression, right: Expression) {
  return invalidInput(`A ${kindName(left)} cannot be compared with a ${kindName(right)}; $convert one of them`);
}

/** ClickHouse writes infinity as `inf`. */
function floatText({ value }: Pick<NumberLiteral, 'value'> | { type: 'float'; value: number }): string {
  return String(Number(value)).replace('Infinity', 'inf');
}

export function isExactAsFloat(value: bigint): boolean {
  return value > -(2n ** 53n) && value < 2n ** 53n;
}

function fitsInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

function fitsInt256(value: bigint): boolean {
  return BigInt.asIntN(256, value) === value;
}
