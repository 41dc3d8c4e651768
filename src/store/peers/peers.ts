/**
 * The server processes that share the stores. Code that must be right with several of them asks here: nothing else
 * knows how many there are.
 */
export type Peers = {
  /** Whether this process is the only one that writes to the stores, so that written data can be kept in memory. */
  isAlone: boolean;
  /** Runs work while no process runs other work under the same key. */
  lock<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
  /** Resolves when every process, this one included, has forgotten what the change made outdated. */
  notify(topic: Topic, key: string): Promise<void>;
  /** Adds what to do when something changes. It may forget more than the key. */
  on(topic: Topic, forget: (key: string) => void): void;
  /** Work that one process does for all: null if another process does it. Without a sign of life, a lease ends after `ms`. */
  lease(name: string, ms: number): Promise<Lease | null>;
};

/** What changes, and its key: a revoked key's id, the user whose sessions end or who leaves an entity, a model's name. */
export type Topic = 'keys' | 'sessions' | 'memberships' | 'models';

type Lease = { release(): Promise<void> };

/** Options of an `LRUCache` that is emptied by notices: a notice that is lost counts after 30 s. */
export const expiring = { ttl: 30_000, ttlResolution: 1000 };
