import type { Position } from '../../copies.ts';
import type { CopiedTable } from './copied-tables.ts';

/** Rows whose keys are after one position and not after another; null for the beginning and the end. */
export type Range = { after: Position | null; upTo: Position | null };

/** The columns of a key as text, which `literal` reads. Text may have any bytes. */
export function keyAsText({ key }: CopiedTable): string[] {
  return Object.entries(key).map(([column, type]) => {
    switch (type) {
      case 'text':
        return `hex(${column})`;
      case 'time':
        return `toString(toUnixTimestamp64Micro(${column}))`;
      case 'uint64':
        return `toString(${column})`;
      default:
        throw type satisfies never;
    }
  });
}

/** The condition of a range. Comparing column by column lets ClickHouse use the index, which it does not for tuples. */
export function inRange({ key }: CopiedTable, { after, upTo }: Range): string {
  const columns = Object.entries(key);
  const conditions = [
    ...(after === null ? [] : [isAfter(columns, after)]),
    ...(upTo === null ? [] : [`NOT (${isAfter(columns, upTo)})`]),
  ];
  return conditions.length === 0 ? '1' : conditions.join(' AND ');
}

type Columns = [string, CopiedTable['key'][string]][];

function isAfter(columns: Columns, values: Position): string {
  const [[column, type], ...rest] = columns as [Columns[0], ...Columns];
  const own = literal(type, values[0]!);
  const above = `${column} > ${own}`;
  if (rest.length === 0) return above;
  return `${column} >= ${own} AND (${above} OR (${column} = ${own} AND (${isAfter(rest, values.slice(1))})))`;
}

function literal(type: CopiedTable['key'][string], value: string): string {
  if (!/^(-?\d+|[\dA-F]*)$/.test(value)) throw new Error('a position has another form');
  switch (type) {
    case 'text':
      return `unhex('${value}')`;
    case 'time':
      return `fromUnixTimestamp64Micro(toInt64('${value}'), 'UTC')`;
    case 'uint64':
      return `toUInt64('${value}')`;
    default:
      throw type satisfies never;
  }
}
