import { textToFloatSql } from './casts.ts';
import type { FieldExpression } from './expression.ts';

/**
 * One term of an ORDER BY. Of JSON values numbers come first, then everything else as text; what has no value comes last
 * in both directions.
 */
export function orderSql(expression: FieldExpression, direction: 'asc' | 'desc'): string {
  const value = `${expression.sql} ${direction} NULLS LAST`;
  if (expression.kind !== 'json') return value;
  return `${expression.isSet} DESC, ${textToFloatSql(expression.sql)} ${direction} NULLS LAST, ${value}`;
}
