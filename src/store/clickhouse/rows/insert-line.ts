import { unacceptable } from '../../../util/failures.ts';
import { replaceLoneSurrogates } from '../../../util/json/well-formed.ts';
import type { ColumnType } from './column-types.ts';
import { type RowOf, type TableName, tables } from './tables.ts';

/**
 * A row as one line for an insert, with a line feed. Lone surrogates, which no store can represent, become U+FFFD.
 * @throws Failure for a value that its column cannot store: the row must not join a batch.
 */
export function insertLine<Table extends TableName>(table: Table, row: RowOf<Table>): string {
  const columns: Record<string, ColumnType> = tables[table];
  const values: Record<string, unknown> = row;
  for (const name in values) {
    const { type, holds } = columns[name]!;
    if (!holds(values[name])) {
      throw unacceptable(`${name} holds values of type ${type}, found ${describe(values[name])}`);
    }
  }
  return `${storableJson(values)}\n`;
}

/** JSON in which lone surrogates are replaced. */
function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  return json.includes('\\ud') ? replaceLoneSurrogates(json) : json;
}

/**
 * Numbers are shown, because they explain the error. For other values only the type is shown, because they may be
 * payloads.
 */
function describe(value: unknown): string {
  if (typeof value === 'number' || value === null || value === undefined) return String(value);
  return Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`;
}
