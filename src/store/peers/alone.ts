import type { Peers, Topic } from './peers.ts';

/** The only process on its stores: everything is in memory. */
export function openAlone(): Peers {
  const listeners: { topic: Topic; forget: (key: string | null) => void }[] = [];
  return {
    isAlone: true,
    async notify(topic, key) {
      for (const listener of listeners) if (listener.topic === topic) listener.forget(key);
    },
    announce() {},
    on(topic, forget) {
      listeners.push({ topic, forget });
    },
    isUpToDate: () => true,
    lease: async () => ({ isHeld: () => true, release: async () => {} }),
    close: async () => {},
  };
}
