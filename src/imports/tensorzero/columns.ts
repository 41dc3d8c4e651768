import { isCallId, madeAt } from '../../domain/calls/ids.ts';
import { invalidInput } from '../../util/failures.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { isObject } from '../../util/json/own-member.ts';
import { parseJson } from '../../util/json/parse.ts';
import { parseTimestamp } from '../../util/timestamp.ts';
import type { Columns } from './tables.ts';

/** Readers of columns, which stores export in several forms. All throw a `Failure` that names the column. */

/** A UUID, in lower case. */
export function idIn(columns: Columns, name: string): string {
  const id = textIn(columns, name)?.toLowerCase() ?? null;
  if (id !== null && isCallId(id)) return id;
  throw invalidInput(`${name} is not a UUID: ${String(id).slice(0, 60)}`);
}

/** A string; null if there is none. */
export function textIn(columns: Columns, name: string): string | null {
  const value = columns[name];
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value;
  if (value instanceof JsonText) return value.text;
  if (typeof value === 'number') return String(value);
  throw invalidInput(`${name} is not a string.`);
}

/** A string that must be there. */
export function requiredText(columns: Columns, name: string): string {
  const text = textIn(columns, name);
  if (text !== null && text !== '') return text;
  throw invalidInput(`${name} is missing.`);
}

export function numberIn(columns: Columns, name: string): number | null {
  const text = textIn(columns, name);
  if (text === null) return null;
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value)) return value;
  throw invalidInput(`${name} is not a number: ${text.slice(0, 60)}`);
}

export function booleanIn(columns: Columns, name: string): boolean {
  const value = columns[name];
  if (typeof value === 'boolean') return value;
  if (value === 't' || value === 'true' || value === 1) return true;
  if (value === undefined || value === null || value === 'f' || value === 'false' || value === 0) return false;
  throw invalidInput(`${name} is not a boolean.`);
}

/** JSON, which is text in ClickHouse; numbers keep their digits. Null if there is none. */
export function jsonIn(columns: Columns, name: string): unknown {
  const value = columns[name];
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'string') return value;
  try {
    return parseJson(value, { keepsDigits: true });
  } catch (error) {
    throw invalidInput(`${name} is not JSON: ${(error as Error).message}`);
  }
}

/** A map of strings, such as tags. */
export function mapIn(columns: Columns, name: string): Record<string, unknown> {
  const value = jsonIn(columns, name);
  return isObject(value) ? value : {};
}

/** When the row was made, in microseconds: its id says so, or else its time. */
export function timeOf(columns: Columns, id: string): number {
  const made = madeAt(id);
  if (made !== null) return made;
  const text = textIn(columns, 'timestamp') ?? textIn(columns, 'created_at');
  const time = text === null ? null : parseTimestamp(text);
  if (time !== null) return time;
  throw invalidInput('the id is not a UUIDv7, and there is no timestamp.');
}
