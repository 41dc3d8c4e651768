import { textToFloatSql } from './casts.ts';
import type { FieldExpression } from './expression.ts';
import { type Sql, sqlOf } from './sql.ts';

/**
 * One term of an ORDER BY. For JSON values, numbers come first, then everything else as text; missing values come last
 * in both directions.
 */
export function orderSql(expression: FieldExpression, direction: 'asc' | 'desc'): Sql {
  const value = `${expression.sql} ${direction} NULLS LAST`;
  if (expression.kind !== 'json') return sqlOf(value, expression);
  const numbersFirst = `${expression.isSet} DESC, ${textToFloatSql(expression.sql)} ${direction} NULLS LAST`;
  return sqlOf(`${numbersFirst}, ${value}`, expression);
}
