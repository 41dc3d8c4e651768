import type { ConvertTarget } from '../operation.ts';
import { condition, type Expression, parseNumber, type RowField, textOf, type Value } from './row-field.ts';

/** The result of `$convert`. */
export function convert<Row>(input: Expression<Row>, to: ConvertTarget): RowField<Row> {
  const text = textOf(input);
  switch (to) {
    case 'exists':
      return condition((row) => text(row) !== null);
    case 'string':
      return { kind: 'text', read: text };
    case 'double':
      return { kind: 'number', read: readThrough(input, Number, (found) => parseNumber(found)) };
    case 'int':
      return {
        kind: 'number',
        read: readThrough(input, Math.trunc, (found) => (/^[+-]?\d+$/.test(found) ? Number(found) : null)),
      };
    case 'bool':
      return { kind: 'bool', read: readThrough(input, (number) => number !== 0, parseBool) };
    default:
      return to satisfies never;
  }
}

/** Converts numbers and booleans directly, and all other values through their text. */
function readThrough<Row>(
  input: Expression<Row>,
  ofNumber: (number: number) => Value,
  ofText: (text: string) => Value,
): (row: Row) => Value {
  const text = textOf(input);
  return (row) => {
    const value = input.kind === 'number' || input.kind === 'bool' ? input.read(row) : text(row);
    if (value === null) return null;
    return typeof value === 'string' ? ofText(value) : ofNumber(Number(value));
  };
}

function parseBool(text: string): boolean | null {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^\d{1,3}$/.test(text) ? Number(text) !== 0 : null;
}
