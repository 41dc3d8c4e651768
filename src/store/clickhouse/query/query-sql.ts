import { badRequest } from '../../../contract/errors.ts';
import type { Operand, Operation } from '../../../domain/query/operation.ts';
import { conditionSql, convert, textSql } from './casts.ts';
import { compareSql } from './compare-sql.ts';
import { condition, type Expression, type ResolveField } from './expression.ts';
import { inSql } from './in-sql.ts';
import type { SqlParams } from './sql-params.ts';

/**
 * Compiles a query to an SQL condition with the three-valued logic of the query language: a comparison with what is
 * unset or does not convert is neither true nor false, and neither it nor its negation matches.
 *
 * @throws ApiError 400 where kinds do not fit together, and what `resolveField` throws.
 */
export function querySql(operation: Operation, resolveField: ResolveField, params: SqlParams): string {
  return conditionSql(compile(operation, resolveField, params));
}

function compile(operand: Operand, resolveField: ResolveField, params: SqlParams): Expression {
  const inner = (each: Operand) => compile(each, resolveField, params);
  switch (operand.kind) {
    case 'literal':
      return operand;
    case 'field':
      return resolveField(operand.path);
    case 'and':
    case 'or': {
      const tests = operand.operands.map((each) => conditionSql(inner(each)));
      return condition(`(${tests.join(operand.kind === 'and' ? ' AND ' : ' OR ')})`);
    }
    case 'not':
      return condition(`(NOT ${conditionSql(inner(operand.operand))})`);
    case 'eq':
    case 'gt':
    case 'lt':
    case 'gte':
    case 'lte':
      return condition(compareSql(operand.kind, inner(operand.left), inner(operand.right), params));
    case 'in':
      return condition(inSql(inner(operand.operand), operand.list.map(inner), params));
    case 'contains':
      return condition(containsSql(inner(operand.input), inner(operand.substr), operand.isCaseInsensitive, params));
    case 'convert':
      return convert(inner(operand.input), operand.to, params);
    case 'size':
      return sizeOf(inner(operand.input), params);
    default:
      return operand satisfies never;
  }
}

/** Without regard to case it folds by Unicode; the empty text is in every text. */
function containsSql(input: Expression, substr: Expression, isCaseInsensitive: boolean, params: SqlParams): string {
  const position = isCaseInsensitive ? 'positionCaseInsensitiveUTF8' : 'position';
  return `(${position}(${textSql(input, params)}, ${textSql(substr, params)}) > 0)`;
}

/** Bytes of a text, elements of a list. */
function sizeOf(input: Expression, params: SqlParams): Expression {
  if (input.kind === 'number' || input.kind === 'time' || input.kind === 'bool') {
    throw badRequest(`$size takes a text or a list, found a ${input.kind}; $convert it to string`);
  }
  const sql = `length(${input.kind === 'list' ? input.sql : textSql(input, params)})`;
  return { kind: 'number', sql, isSet: `isNotNull(${sql})` };
}
