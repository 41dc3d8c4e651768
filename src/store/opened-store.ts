import type { ClickHouse } from './clickhouse/clickhouse.ts';
import type { DiskLevel } from './disk/disk.ts';
import type { Agreement } from './peers/agreement.ts';
import type { Peers } from './peers/peers.ts';
import type { Postgres } from './postgres/postgres.ts';

/** A store, and what its kind knows of it besides how to use it. */
export type OpenedStore<Store> = {
  name: 'ClickHouse' | 'PostgreSQL' | 'Files' | 'Bucket';
  kind: 'embedded' | 'server' | 'directory' | 's3';
  /** Where it is, without credentials, for its operator only. Null in the data directory. */
  address: string | null;
  /** Takes no time and sends nothing to a server that may be asleep. */
  figures(): StoreFigures;
  store: Store;
  /** Resolves when the store answers. Cheap, and not delayed by requests. */
  probe(): Promise<unknown>;
  /** What helps when the store has not answered for a minute: a store inside the process cannot be opened again. */
  whenSilent: 'end the process' | 'wait';
  /** Stops what a full disk would make it try again and again. Null if the store is not on a disk of this machine. */
  onDiskLevel: ((level: DiskLevel) => Promise<void>) | null;
  /** Damage that shows when the store is opened, without reading its data. Null if there is none. */
  findDamage(): Promise<Damage | null>;
  /** Reads all data once, at each start in the background. Null where that takes too long. */
  readAll: (() => Promise<Damage | null>) | null;
  /** Reads as much of the stored data as the limits allow, and compares it with its checksums. Null for a server's data. */
  check: ((limits: CheckLimits) => Promise<{ read: string; damage: Damage | null }>) | null;
};

export type OpenedClickHouse = OpenedStore<ClickHouse> & {
  /** From now on, uses the replica that all processes agree on. Null if there are no replicas to choose from. */
  agree: ((agreement: Agreement) => Promise<void>) | null;
  /** From now on, takes a share of the limits that all processes have together. Null in a data directory. */
  shareLimits: ((peers: Pick<Peers, 'count'>) => void) | null;
};

/** What is known of a store at the moment. Null is unknown, or no figure of this kind. */
export type StoreFigures = {
  version: string | null;
  /** The median of the last minute. */
  latencySeconds: number | null;
  /** On the disk of its data. */
  freeBytes: number | null;
  /** Of its data. */
  usedBytes: number | null;
};

/** What the server needs of a store to say how it is. */
export type WatchedStore = Pick<OpenedStore<unknown>, 'name' | 'kind' | 'address' | 'figures' | 'probe' | 'whenSilent'>;

/** What is damaged, in one line, and what to do about it. */
type Damage = { found: string; advice: string };

type CheckLimits = { readingMsMax: number; signal: AbortSignal | null };

export type Databases = { clickhouse: OpenedClickHouse; postgres: OpenedStore<Postgres> };
