import type { OfferingProcess, ProcessOffer } from '../../domain/process-offer.ts';
import type { WriteNumbers } from './write-numbers.ts';

/**
 * The server processes that share the stores. Code that must be right with several of them asks here: nothing else
 * knows how many there are.
 */
export type Peers = {
  /** Identifies this process. */
  id: string;
  /** Whether this process is the only one that writes to the stores, so that written data can be kept in memory. */
  isAlone: boolean;
  /** How many processes there are, this one included. What was last heard, seconds ago. */
  count(): number;
  /**
   * Resolves when every process, this one included, has forgotten what the change made outdated, or keeps nothing. Call it
   * once the change is committed. If it fails, the change counts everywhere within seconds nevertheless.
   */
  notify(topic: Topic, key: string): Promise<void>;
  /**
   * Announces something that the other processes look for anyway, so that they find it sooner. Nobody waits for it, and
   * it may be lost.
   */
  announce(topic: Topic, key: string): void;
  /** Adds what to do when something changes, or may have changed without a notice. It may forget more than the key. */
  on(topic: Topic, forget: (key: string | null) => void): void;
  /** False while a change may be acknowledged that this process has not noticed. Use nothing that is kept in memory then. */
  isUpToDate(): boolean;
  /**
   * Work that one process does for all: null if another process does it. A lease is renewed until it is released; without a
   * sign of life, it ends after `ms`.
   */
  lease(name: string, ms: number): Promise<Lease | null>;
  /** What this process offers to the others from now on; null for nothing. They hear of it soon, and again with each lease. */
  offer(offer: ProcessOffer | null): void;
  /** What the other processes with a lease offer, as last heard. */
  offers(): readonly OfferingProcess[];
  numbers: WriteNumbers;
  /** For operators; null for a process that is alone. */
  overview(): Promise<PeerOverview | null>;
  close(): Promise<void>;
};

/**
 * What changes, and its key: a revoked key's id, the user whose sessions end or who leaves an entity, a model's name, the
 * id of a response that is canceled, the kind of jobs of which one waits or is to be canceled, a process that offers something else, the name of a policy.
 */
export type Topic =
  | 'keys'
  | 'sessions'
  | 'memberships'
  | 'models'
  | 'responses'
  | 'jobs'
  | 'canceled jobs'
  | 'offers'
  | 'policies';

export type PeerOverview = {
  /** Those that have a lease, in the order of their starts. */
  processes: { name: string; startedAt: Date; isThis: boolean; offer: ProcessOffer | null }[];
  /** Work that one process does for all, and the name of that process. */
  leases: { name: string; process: string }[];
  /** How many statements wait for a lock in PostgreSQL. */
  lockWaits: number;
};

type Lease = {
  /** False once another process may have the lease. */
  isHeld(): boolean;
  release(): Promise<void>;
};
