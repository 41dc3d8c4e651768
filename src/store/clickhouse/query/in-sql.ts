import type { Literal } from '../../../domain/query/operation.ts';
import { textSql, textToBoolSql, textToFloatSql } from './casts.ts';
import { compareSql, isExactAsFloat, noCommonType, timeSql } from './compare-sql.ts';
import { type Expression, type FieldExpression, sqlOn } from './expression.ts';
import { plainSql, type Sql, sqlOf } from './sql.ts';
import type { SqlParams } from './sql-params.ts';

/** Membership. Numbers and booleans convert the field only if the list contains nothing else; nulls never match. */
export function inSql(operand: Expression, list: Expression[], params: SqlParams): Sql {
  if (list.length === 0) return plainSql('0');
  const literals = list.filter((element) => element.kind === 'literal').map((element) => element.literal);
  if (operand.kind === 'literal' || literals.length < list.length) {
    const tests = list.map((element) => compareSql('eq', operand, element, params));
    return sqlOf(`(${tests.map(({ sql }) => sql).join(' OR ')})`, ...tests);
  }
  if (operand.kind === 'json' && operand.entries) return operand.entries.equal(literals.flatMap(literalText));
  const sql = inLiterals(operand, literals, params);
  return sql === '0' ? plainSql(sql) : sqlOn(sql, operand); // with only nulls, no value is needed
}

function inLiterals(field: FieldExpression, literals: Literal[], params: SqlParams): string {
  switch (field.kind) {
    case 'json':
      if (literals.every(({ type }) => type === 'bool')) {
        return `(${textToBoolSql(field.sql)} IN ${params.bind('Array(UInt8)', numbers(literals).map(Number))})`;
      }
      if (literals.every(({ type }) => type === 'int' || type === 'float')) return inNumbers(field, literals, params);
      return inTexts(field, literals, params);
    case 'text':
    case 'list':
      if (!literals.some(({ type }) => type === 'string' || type === 'null')) {
        throw noCommonType(field, { kind: 'literal', literal: literals[0]! });
      }
      return inTexts(field, literals, params);
    case 'number':
    case 'bool':
    case 'time':
      return inConverted(field, literals, params);
    default:
      return field satisfies never;
  }
}

function literalText(literal: Literal): string[] {
  return literal.type === 'null' ? [] : [String(literal.value)];
}

function inTexts(field: FieldExpression, literals: Literal[], params: SqlParams): string {
  const texts = literals.filter((literal) => literal.type === 'string').map(({ value }) => value);
  return `(${textSql(field, params)} IN ${params.strings(texts)})`;
}

function inNumbers(field: FieldExpression, literals: Literal[], params: SqlParams): string {
  const values = numbers(literals);
  const areExact = values.every((value) =>
    typeof value === 'bigint' ? isExactAsFloat(value) : isBoundAsNumber(Number(value)),
  );
  if (!areExact) return inConverted(field, literals, params);
  return `(${textToFloatSql(field.sql)} IN ${params.bind('Array(Float64)', values.map(Number))})`;
}

/** The client rejects numbers beyond 2^53 that look like integers. */
function isBoundAsNumber(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

function inConverted(field: FieldExpression, literals: Literal[], params: SqlParams): string {
  const known = literals.filter(({ type }) => type !== 'null');
  if (known.length === 0) return '0';
  if (field.kind === 'time') {
    return `(${field.sql} IN (${known.map((literal) => timeSql(literal, field, params)).join(', ')}))`;
  }
  const tests = known.map((literal) => compareSql('eq', field, { kind: 'literal', literal }, params).sql);
  return `(${tests.join(' OR ')})`;
}

function numbers(literals: Literal[]): (bigint | number | boolean)[] {
  return literals.flatMap((literal) => (literal.type === 'null' || literal.type === 'string' ? [] : [literal.value]));
}
