import type { ConvertTarget } from '../../../domain/query/operation.ts';
import { invalidInput } from '../../../util/failures.ts';
import { condition, type Expression, type FieldExpression, sqlOn, unknown } from './expression.ts';
import { plainSql, type Sql } from './sql.ts';
import type { SqlParams } from './sql-params.ts';

/** The value as a string, NULL if it is unset. */
export function textSql(expression: Expression, params: SqlParams): string {
  switch (expression.kind) {
    case 'json':
    case 'text':
      return expression.sql;
    case 'number':
    case 'time':
      return `toString(${expression.sql})`;
    case 'bool':
      return `if(${expression.sql}, 'true', if(isNull(${expression.sql}), NULL, 'false'))`;
    case 'list':
      return `toJSONString(${expression.sql})`;
    case 'literal':
      return expression.literal.type === 'null'
        ? 'CAST(NULL AS Nullable(String))'
        : params.string(String(expression.literal.value));
    default:
      return expression satisfies never;
  }
}

/** A string as a floating-point number, NULL if it is not one. Adding 0 turns -0 into 0, which IN would distinguish. */
export function textToFloatSql(text: string): string {
  return `(toFloat64OrNull(${text}) + 0)`;
}

/** A string as a boolean: the words, or a small integer. NULL for anything else. */
export function textToBoolSql(text: string): string {
  return `multiIf(${text} = 'true', 1, ${text} = 'false', 0, toUInt8OrNull(${text}))`;
}

/** The result of `$convert`. */
export function convert(input: Expression, to: ConvertTarget, params: SqlParams): FieldExpression {
  switch (to) {
    case 'exists':
      return condition(
        sqlOn(input.kind === 'literal' ? (input.literal.type === 'null' ? '0' : '1') : `(${input.isSet})`, input),
      );
    case 'string':
      return field('text', textSql(input, params), input);
    case 'double':
      return field(
        'number',
        numeric(input) ? `toFloat64(${input.sql})` : textToFloatSql(textSql(input, params)),
        input,
      );
    case 'int':
      return field(
        'number',
        numeric(input) ? `toInt64(${input.sql})` : `toInt64OrNull(${textSql(input, params)})`,
        input,
      );
    case 'bool':
      return field('bool', numeric(input) ? `(${input.sql} != 0)` : textToBoolSql(textSql(input, params)), input);
    default:
      return to satisfies never;
  }
}

/** The value as a condition. @throws Failure if it cannot be one. */
export function conditionSql(expression: Expression): Sql {
  if (expression.kind === 'bool') return sqlOn(expression.sql, expression);
  if (expression.kind === 'number') return sqlOn(`(${expression.sql} != 0)`, expression);
  if (expression.kind === 'literal') {
    const { literal } = expression;
    if (literal.type === 'null') return plainSql(unknown);
    if (literal.type !== 'string') return plainSql(Number(literal.value) !== 0 ? '1' : '0');
  }
  throw invalidInput(`$and, $or and $not join conditions, found a ${kindName(expression)}: compare it with something`);
}

/** A description of the expression, for messages. */
export function kindName(expression: Expression): string {
  if (expression.kind === 'literal') return `literal of type ${expression.literal.type}`;
  return { json: 'JSON value', text: 'text', number: 'number', bool: 'truth value', time: 'time', list: 'list' }[
    expression.kind
  ];
}

function numeric(input: Expression): input is FieldExpression {
  return input.kind === 'number' || input.kind === 'bool';
}

function field(kind: 'text' | 'number' | 'bool', sql: string, input: Expression): FieldExpression {
  return { kind, sql, isSet: `isNotNull(${sql})`, sources: sqlOn(sql, input).sources };
}
