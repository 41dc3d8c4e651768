import type { Operand, Operation } from '../../../domain/query/operation.ts';
import { invalidInput } from '../../../util/failures.ts';
import { conditionSql, convert, textSql } from './casts.ts';
import { compareSql } from './compare-sql.ts';
import {
  condition,
  type Exactly,
  type Expression,
  type FieldExpression,
  type ResolveField,
  sqlOn,
} from './expression.ts';
import { foldCaseSql } from './fold-case.ts';
import { inSql } from './in-sql.ts';
import { type Sql, sqlOf } from './sql.ts';
import type { SqlParams } from './sql-params.ts';
import { comparesThroughIndex, containsThroughIndex, equalsThroughIndex, inThroughIndex } from './through-index.ts';

/**
 * Compiles a query to an SQL condition with the three-valued logic of the query language: a comparison with a value
 * that is unset or cannot be converted is neither true nor false, and neither it nor its negation matches.
 * @throws Failure for mismatched types, and whatever `resolveField` throws.
 */
export function querySql(operation: Operation, resolveField: ResolveField, params: SqlParams): Sql {
  return conditionSql(compile(operation, { resolveField, params, isChoosing: true }));
}

type Scope = {
  resolveField: ResolveField;
  params: SqlParams;
  /** Whether this chooses rows, so that unknown may as well be false and indexes may answer. */
  isChoosing: boolean;
};

function compile(operand: Operand, scope: Scope): Expression {
  const expression = compileOperand(operand, scope);
  if (expression.kind !== 'literal' && expression.sql.length > sqlCharactersMax) {
    throw invalidInput(
      `This query is too complex: it takes more than ${sqlCharactersMax} characters of SQL. Use fewer conditions, or conversions that are not inside each other.`,
    );
  }
  return expression;
}

/** A conversion repeats its input, so the SQL of nested conversions could grow without bounds. */
const sqlCharactersMax = 128 * 1024;

function compileOperand(operand: Operand, scope: Scope): Expression {
  const { resolveField, params } = scope;
  const inner = (each: Operand) => compile(each, { ...scope, isChoosing: false });
  switch (operand.kind) {
    case 'literal':
      return operand;
    case 'field':
      return resolveField(operand.path);
    case 'and':
    case 'or': {
      const tests = operand.operands.map((each) => conditionSql(compile(each, scope)));
      const sql = tests.map((test) => test.sql).join(operand.kind === 'and' ? ' AND ' : ' OR ');
      return condition(sqlOf(`(${sql})`, ...tests));
    }
    case 'not': {
      const test = conditionSql(inner(operand.operand));
      return condition(sqlOf(`(NOT ${test.sql})`, test));
    }
    case 'eq':
    case 'gt':
    case 'lt':
    case 'gte':
    case 'lte': {
      const { kind } = operand;
      const [left, right] = [inner(operand.left), inner(operand.right)];
      const isMirrored = left.kind === 'literal';
      const exactly: Exactly = (value) =>
        isMirrored ? compareSql(kind, left, value ?? right, params) : compareSql(kind, value ?? left, right, params);
      if (!scope.isChoosing) return condition(exactly());
      return condition(
        kind === 'eq' ? equalsThroughIndex(left, right, exactly) : comparesThroughIndex(kind, left, right, exactly),
      );
    }
    case 'in': {
      const [field, list] = [inner(operand.operand), operand.list.map(inner)];
      const exactly: Exactly = (value = field as FieldExpression) => inSql(value, list, params);
      return condition(scope.isChoosing ? inThroughIndex(field, list, exactly) : exactly());
    }
    case 'contains': {
      const [input, substr] = [inner(operand.input), inner(operand.substr)];
      const exactly: Exactly = (value = input as FieldExpression) =>
        containsSql(value, substr, operand.isCaseInsensitive, params);
      return condition(scope.isChoosing ? containsThroughIndex(input, substr, exactly) : exactly());
    }
    case 'convert':
      return convert(inner(operand.input), operand.to, params);
    case 'size':
      return sizeOf(inner(operand.input), params);
    default:
      return operand satisfies never;
  }
}

/**
 * Case-insensitive search folds by Unicode; every string contains the empty string. A list contains only its elements. A
 * value that is unset is searched as the empty string, so that "does not contain" finds it.
 */
function containsSql(input: Expression, substr: Expression, isCaseInsensitive: boolean, params: SqlParams): Sql {
  if (input.kind === 'list') {
    const part = textSql(substr, params);
    const sql = isCaseInsensitive
      ? `arrayExists(e -> lowerUTF8(e) = lowerUTF8(${part}), ${input.sql})`
      : `has(${input.sql}, ${part})`;
    return sqlOn(sql, input, substr);
  }
  const known = substr.kind === 'literal' && substr.literal.type === 'string' ? substr.literal.value : null;
  const part = substr.kind === 'literal' ? textSql(substr, params) : shortTextSql(input, substr, params);
  const folded = (text: string) => (isCaseInsensitive ? foldCaseSql(text, known) : text);
  const isIn = (text: string) => `(position(${folded(text)}, ${folded(part)}) > 0)`;
  if (input.kind === 'json' && input.entries && substr.kind === 'literal') return input.entries.pass(isIn);
  return sqlOn(isIn(`ifNull(${textSql(input, params)}, '')`), input, substr);
}

/**
 * A search for a string that differs from row to row takes time proportional to the product of both lengths, so one of
 * them is limited.
 */
const soughtBytesMax = 1000;
export const soughtIsTooLong = `$contains can look for the value of a field of at most ${soughtBytesMax} bytes`;

function shortTextSql(input: Expression, substr: FieldExpression, params: SqlParams): string {
  if (
    input.kind === 'literal' &&
    String(input.literal.type === 'null' ? '' : input.literal.value).length > soughtBytesMax
  ) {
    throw invalidInput(
      `$contains can look into a literal of at most ${soughtBytesMax} characters for the value of a field`,
    );
  }
  const text = textSql(substr, params);
  return `if(throwIf(ifNull(length(${text}), 0) > ${soughtBytesMax}, '${soughtIsTooLong}'), '', ${text})`;
}

/** The bytes of a string, or the elements of a list. */
function sizeOf(input: Expression, params: SqlParams): Expression {
  if (input.kind === 'number' || input.kind === 'time' || input.kind === 'bool') {
    throw invalidInput(`$size takes a text or a list, found a ${input.kind}; $convert it to string`);
  }
  const sql = `length(${input.kind === 'list' ? input.sql : textSql(input, params)})`;
  return { kind: 'number', sql, isSet: `isNotNull(${sql})`, sources: sqlOn(sql, input).sources };
}
