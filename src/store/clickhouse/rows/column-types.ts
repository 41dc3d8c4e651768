import { isInt64 } from '../../../domain/calls/storable.ts';

/**
 * The values that a column accepts: rows are checked before they join a batch, because one invalid row would fail all
 * of it.
 */
export type ColumnType = {
  /** As ClickHouse formats it. */
  type: string;
  holds(value: unknown): boolean;
  /** What queries of clients compare its values as. */
  kind?: 'text' | 'number' | 'time' | 'list';
  isNullable?: boolean;
  /** The column's value of a field, where it is not the same. */
  write?(value: unknown): unknown;
  /** The SQL that selects the field's value from the column, where it is not the column alone. */
  read?(column: string): string;
};

export const text: ColumnType = { type: 'String', holds: isText, kind: 'text' };
export const wordText: ColumnType = { type: 'LowCardinality(String)', holds: isText };
export const texts: ColumnType = {
  type: 'Array(String)',
  holds: (value) => Array.isArray(value) && value.every(isText),
  kind: 'list',
};
export const textsByKey: ColumnType = { type: 'Map(String, String)', holds: isMapOf(isText) };
export const numbersByKey: ColumnType = { type: 'Map(String, Float64)', holds: isMapOf(Number.isFinite) };

/**
 * Microseconds since 1970: DateTime64(6) accepts them as they are. Older stores contain times that a number does not
 * represent exactly, and their calls can still be renamed and deleted.
 */
export const time: ColumnType = {
  type: "DateTime64(6, 'UTC')",
  holds: isMicros,
  kind: 'time',
  read: (column) => `toUnixTimestamp64Micro(${column})`,
};

/** The digits of an integer: a number would round them. */
export const int64: ColumnType = {
  type: 'Int64',
  holds: (value) => isText(value) && isInt64(value),
  kind: 'number',
  read: (column) => `toString(${column})`,
};

export const uint8 = unsigned('UInt8', 0xff);
export const bool: ColumnType = { ...uint8, write: Number, read: (column) => `toBool(${column})` };
export const uint16 = unsigned('UInt16', 0xffff);
export const uint32 = unsigned('UInt32', 0xffff_ffff);
/** The part of 64-bit integers that a number represents exactly. */
export const uint64 = unsigned('UInt64', Number.MAX_SAFE_INTEGER);

export function nullable({ type, holds, ...more }: ColumnType): ColumnType {
  return { ...more, type: `Nullable(${type})`, isNullable: true, holds: (value) => value === null || holds(value) };
}

export function enumeration(...names: string[]): ColumnType {
  const known = new Set<unknown>(names);
  const members = names.map((name, i) => `'${name}' = ${i}`);
  return { type: `Enum8(${members.join(', ')})`, holds: (value) => known.has(value) };
}

/** A column whose values come from code that only sends valid ones. */
export function trusted(type: string): ColumnType {
  return { type, holds: () => true };
}

function unsigned(type: string, max: number): ColumnType {
  return { type, holds: (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max };
}

function isMicros(value: unknown): boolean {
  return Number.isInteger(value) && Math.abs(value as number) < 2 ** 63;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isMapOf(holds: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => typeof value === 'object' && value !== null && Object.values(value).every(holds);
}
