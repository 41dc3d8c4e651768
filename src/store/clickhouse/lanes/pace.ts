import { LRUCache } from 'lru-cache';

/** How long the reads of each group usually take: an average that favors the last few. */
export type ReadPace = {
  add(group: string, ms: number): void;
  /** Null for an unknown group. */
  of(group: string): number | null;
};

const weightOfLast = 0.2;
const groupsMax = 10_000;

export function openPace(): ReadPace {
  const means = new LRUCache<string, number>({ max: groupsMax });
  const of = (group: string) => means.get(group) ?? null;
  return {
    of,
    add(group, ms) {
      const mean = of(group);
      means.set(group, mean === null ? ms : mean + weightOfLast * (ms - mean));
    },
  };
}
