/**
 * The keys that a full map drops. Dropping one key at a time is slow: a `Map` keeps the places of deleted entries for a
 * while, and looking for its first entry passes over all of them.
 */
export function oldestTenth<Key>(map: ReadonlyMap<Key, unknown>): Key[] {
  return [...map.keys().take(Math.ceil(map.size / 10))];
}
