import { LRUCache } from 'lru-cache';
import { growsTo } from '../../util/grows-to.ts';
import type { Peers, Topic } from './peers.ts';

/** Values that were read from the stores. They are forgotten as soon as they may be outdated. */
export type Kept<Value> = {
  get(key: string): Value | undefined;
  /** The value of a key, from memory if possible. Null is not kept. */
  getOrRead(key: string, read: () => Promise<Value | null>): Promise<Value | null>;
};

/** Keeps up to `max` values, until there is a notice of one of these topics, or this process may have missed one. */
export function openKept<Value extends object | string>(
  peers: Peers,
  topics: readonly Topic[],
  max: number,
): Kept<Value> {
  const values = new LRUCache<string, Value>({ ...growsTo(max), ttl: keptMs, ttlResolution: 1000 });
  let changes = 0;
  for (const topic of topics) {
    peers.on(topic, () => {
      changes++;
      values.clear();
    });
  }

  function get(key: string): Value | undefined {
    return peers.isUpToDate() ? values.get(key) : undefined;
  }

  return {
    get,
    async getOrRead(key, read) {
      const found = get(key);
      if (found !== undefined) return found;
      const before = changes;
      const value = await read();
      // After a change, what was read may be older.
      if (value !== null && before === changes && peers.isUpToDate()) values.set(key, value);
      return value;
    },
  };
}

/** Rows may also be changed by hand. */
const keptMs = 30_000;
