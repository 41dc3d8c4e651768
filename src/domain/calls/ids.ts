import { createHash } from 'node:crypto';
import { v5, v7 } from 'uuid';
import type { Micros } from './call-row.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7/;

/** A call's id is a canonical lower-case UUID or, from OpenTelemetry, 16 lower-case characters. */
export function isCallId(id: string): boolean {
  return uuid.test(id) || isLowerCase(id, 16);
}

/** A trace's id is a canonical lower-case UUID or, from OpenTelemetry, 32 lower-case characters. */
export function isTraceId(id: string): boolean {
  return uuid.test(id) || isLowerCase(id, 32);
}

/**
 * The creation time of an id in microseconds since 1970, if the id contains one: a UUIDv7 starts with its milliseconds.
 */
export function madeAt(id: string): Micros | null {
  if (!uuid7.test(id)) return null;
  const micros = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) * 1000;
  return micros < madeAtMax ? micros : null; // not from a clock, and not a time that the store can represent
}

/** In the year 2255. */
const madeAtMax = 9e15;

/**
 * Creates ids for a request that has none: UUIDv7, lower case. All attempts of one logical request have the same retry
 * id (itself a UUIDv7) and get the same ids in the same order, so a repeated start is the same call.
 */
export function idMaker(retryId: string | null): () => string {
  if (retryId === null || !uuid.test(retryId)) return () => v7();
  let made = 0;
  return () => derivedId(retryId, String(made++));
}

/** An id that belongs to another one (a UUIDv7): always the same for the same path. */
export function derivedId(id: string, path: string): string {
  const random = createHash('sha256').update(`${id}/${path}`).digest();
  const millis = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  return v7({ msecs: millis, random });
}

/** A UUIDv7 of this time: always the same for the same path. */
export function idAt(time: Micros, path: string): string {
  const random = createHash('sha256').update(path).digest();
  return v7({ msecs: Math.max(Math.floor(time / 1000), 0), random });
}

/** The id of the call of a span whose own id belongs to the call of a span in another trace. */
export function spanCallId(traceId: string, spanId: string): string {
  return v5(`${traceId}/${spanId}`, spanNamespace);
}

const spanNamespace = 'a7c1f0de-5b1c-4c0b-9a53-0c6f7c2f8e11';

function isLowerCase(id: string, length: number): boolean {
  return [...id].length === length && id === id.toLowerCase();
}
