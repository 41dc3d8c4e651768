import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Micros } from '../../../../domain/calls/call-row.ts';
import { isExactTime } from '../../../../util/timestamp.ts';
import type { CallKey } from './fetch-calls.ts';

/**
 * Reads the first `count` keys by time. A repeated statement is bounded by the time of the last key that it found before:
 * the primary index then skips most parts, and the read takes a third of the time. If `count` keys lie within the bound,
 * they are the first ones, whatever was written since. Otherwise the statement is read again without the bound.
 */
export async function readBounded(
  { statement, count }: { statement: string; count: number },
  read: (bound: Micros | null) => Promise<CallKey[]>,
): Promise<CallKey[]> {
  const name = hash('sha256', statement);
  const bound = bounds.get(name);
  if (bound !== undefined) {
    const keys = await read(bound);
    if (keys.length === count) return remember(name, keys);
    bounds.delete(name);
  }
  const keys = await read(null);
  return keys.length === count ? remember(name, keys) : keys;
}

/** The time of the last key of each statement. Every bound is checked, so stores may share them. */
const bounds = new LRUCache<string, Micros>({ max: 10_000 });

function remember(name: string, keys: CallKey[]): CallKey[] {
  const last = keys.at(-1);
  if (last && isExactTime(last.startedAt)) bounds.set(name, last.startedAt);
  return keys;
}
