import type { Peers, Topic } from './peers.ts';

/** The only process on its stores: everything is in memory. */
export function openAlone(): Peers {
  const last = new Map<string, Promise<unknown>>();
  const listeners: { topic: Topic; forget: (key: string) => void }[] = [];
  return {
    isAlone: true,
    lock(key, work) {
      const before = last.get(key) ?? Promise.resolve();
      const result = before.then(work, work);
      const settled = result
        .catch(() => {})
        .then(() => {
          if (last.get(key) === settled) last.delete(key);
        });
      last.set(key, settled);
      return result;
    },
    async notify(topic, key) {
      for (const listener of listeners) if (listener.topic === topic) listener.forget(key);
    },
    on(topic, forget) {
      listeners.push({ topic, forget });
    },
    lease: async () => ({ release: async () => {} }),
  };
}
