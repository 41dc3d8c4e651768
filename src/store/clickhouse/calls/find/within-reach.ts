import { hash } from 'node:crypto';
import type { Micros } from '../../../../domain/calls/call-row.ts';
import { BoundedMap } from '../../../../util/bounded-map.ts';
import { isExactTime } from '../../../../util/timestamp.ts';
import type { CallKey } from './fetch-calls.ts';

/**
 * Reads the first `count` keys by time. If the same statement was read before, only up to the time of the last key that it
 * found: the primary index then leaves out most parts, which takes a third of the time. As many keys as were asked for
 * are the first ones, whatever was written since; otherwise the statement is read again without this limit.
 */
export async function readWithinReach(
  { statement, count }: { statement: string; count: number },
  read: (reach: Micros | null) => Promise<CallKey[]>,
): Promise<CallKey[]> {
  const name = hash('sha256', statement);
  const reach = reaches.get(name);
  if (reach !== undefined) {
    const keys = await read(reach);
    if (keys.length === count) return remember(name, keys);
    reaches.delete(name);
  }
  const keys = await read(null);
  return keys.length === count ? remember(name, keys) : keys;
}

/** The time of the last key of each statement. It is only a guess, so stores may share it. */
const reaches = new BoundedMap<string, Micros>(10_000);

function remember(name: string, keys: CallKey[]): CallKey[] {
  const last = keys.at(-1);
  if (last && isExactTime(last.startedAt)) reaches.set(name, last.startedAt);
  return keys;
}
