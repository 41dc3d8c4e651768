import { createHash } from 'node:crypto';
import { isCallId, isTraceId } from '../domain/calls/ids.ts';
import { invalidInput } from '../util/failures.ts';
import { JsonText } from '../util/json/json-text.ts';
import { parseJson, parsePlain } from '../util/json/parse.ts';
import { parseTimestamp } from '../util/timestamp.ts';

/** The members of a record, each as JSON text. */
export type Members = Record<string, JsonText>;

/** The first member of these names that is not null. */
export function member(members: Members, ...names: string[]): JsonText | null {
  for (const name of names) {
    const found = Object.hasOwn(members, name) ? members[name]! : null;
    if (found !== null && found.kind !== 'null') return found;
  }
  return null;
}

/** The same as a string; numbers become one. Null if there is none. */
export function textAt(members: Members, ...names: string[]): string | null {
  const found = member(members, ...names);
  if (found === null) return null;
  return found.kind === 'string' ? (JSON.parse(found.text) as string) : found.text;
}

/** The same as a time in microseconds. @throws Failure if it is not one */
export function timeAt(members: Members, ...names: string[]): number | null {
  const found = member(members, ...names);
  if (found === null) return null;
  const value: unknown = parsePlain(found.text);
  const time = typeof value === 'string' || typeof value === 'number' ? parseTimestamp(value) : null;
  if (time === null) throw invalidInput(`${names[0]} is not a time: ${found.text.slice(0, 60)}`);
  return time;
}

/** The same as a parsed value, with numbers as they are written; undefined if there is none. */
export function valueAt(members: Members, ...names: string[]): unknown {
  const found = member(members, ...names);
  return found === null ? undefined : parseJson(found.text, { keepsDigits: true });
}

/** An object unchanged; any other value as the member `value` of an object, because inputs are objects. */
export function asObject(json: JsonText | null, name: string): JsonText {
  if (json === null) return new JsonText('{}');
  return json.kind === 'object' ? json : new JsonText(`{${JSON.stringify(name)}:${json.text}}`);
}

/** The id of a call for an id of another tool: the same id if a call can have it, otherwise a UUID derived from it. */
export function callIdFor(id: string): string {
  if (isCallId(id)) return id;
  return /^[0-9a-f]{32}$/.test(id) ? asUuid(id) : asUuid(hashOf(id));
}

export function traceIdFor(id: string): string {
  return isTraceId(id) ? id : hashOf(id);
}

function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 32);
}

function asUuid(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
