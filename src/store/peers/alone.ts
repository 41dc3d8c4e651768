import { randomUUID } from 'node:crypto';
import { nowMicroseconds } from '../../util/timestamp.ts';
import type { Peers, Topic } from './peers.ts';
import { blockSize, type WriteNumbers } from './write-numbers.ts';

/** The only process on its stores: everything is in memory. */
export function openAlone(): Peers {
  const listeners: { topic: Topic; forget: (key: string | null) => void }[] = [];
  return {
    id: randomUUID(),
    isAlone: true,
    count: () => 1,
    async notify(topic, key) {
      for (const listener of listeners) if (listener.topic === topic) listener.forget(key);
    },
    announce() {},
    on(topic, forget) {
      listeners.push({ topic, forget });
    },
    isUpToDate: () => true,
    lease: async () => ({ isHeld: () => true, release: async () => {} }),
    offer() {},
    offers: () => [],
    numbers: openNumbers(),
    overview: async () => null,
    close: async () => {},
  };
}

/** Times in microseconds since 1970. */
function openNumbers(): WriteNumbers {
  let last = 0;
  const settledAtLeast = () => nowMicroseconds() - settledMs * 1000;
  return {
    async take() {
      last = Math.max(nowMicroseconds(), last + blockSize);
      return { first: last, isHeld: () => true, release: () => {} };
    },
    settled: async () => settledAtLeast(),
    settledAtLeast,
    isOver: async () => true,
    process: '',
  };
}

/** Inserts that are running may still bring rows of the last moments. */
const settledMs = 3000;
