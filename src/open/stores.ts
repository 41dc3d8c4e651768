import { availableParallelism } from 'node:os';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { type BatchedInserter, openBatchedInserter } from '../store/clickhouse/batched-inserter.ts';
import {
  type BackgroundCallWriter,
  openBackgroundCallWriter,
} from '../store/clickhouse/calls/write/background-writer.ts';
import { type CallWriter, openCallWriter } from '../store/clickhouse/calls/write/call-writer.ts';
import type { ReadLimits } from '../store/clickhouse/lanes/read-limits.ts';
import { migrateClickHouse } from '../store/clickhouse/migrate.ts';
import { serverClickHouse } from '../store/clickhouse/server/open.ts';
import type { DataDirectory } from '../store/data-directory.ts';
import type { Disk } from '../store/disk/disk.ts';
import { guardCalls, guardInserter } from '../store/disk/guards.ts';
import type { Databases, OpenedClickHouse, OpenedStore } from '../store/opened-store.ts';
import type { Peers } from '../store/peers/peers.ts';
import { openReplicaAgreement } from '../store/postgres/clickhouse-servers/replica-agreement.ts';
import { migratePostgres } from '../store/postgres/migrate.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import { serverPostgres } from '../store/postgres/server/open.ts';
import type { ClickHouseKind, Kinds, PostgresKind } from './kinds.ts';
import type { Opened } from './opened.ts';

export type Writers = {
  calls: CallWriter;
  /** For calls that the server itself makes, once it has answered. */
  laterCalls: BackgroundCallWriter;
  /** For rows that are written once and never merged. */
  inserter: BatchedInserter;
};

type Surroundings = {
  config: Config;
  kinds: Kinds;
  log: Log;
  directory: DataDirectory;
  disk: Disk;
  metrics: Metrics;
  peers: Peers;
};

/** Opens both databases. @throws StoreUnusableError, ClickHouseServerError, PostgresServerError */
export async function openDatabases(
  { config, kinds, log, disk, metrics }: Surroundings,
  opened: Opened,
): Promise<Databases> {
  await loadEmbeddedClickHouse(kinds);
  // Closed last: the agreement on a replica is there.
  const postgres = await openPostgres(kinds.postgres, { log, disk });
  opened.add(postgres.store);
  const found = await openClickHouse(kinds.clickhouse, { config, log, disk });
  const clickhouse = { ...found, store: opened.add(metrics.stores.clickhouse(found.store)) };
  return { clickhouse, postgres };
}

/** Migrates both databases to their newest schemas. The processes agree on a replica in between. @throws StoreTooNewError */
export async function migrateDatabases({ clickhouse, postgres }: Databases, peers: Peers): Promise<void> {
  const migrated = migratePostgres(postgres.store);
  const agree = async () => {
    if (clickhouse.agree === null) return;
    await migrated;
    await clickhouse.agree(openReplicaAgreement(postgres.store, peers));
  };
  await Promise.all([migrated, agree().then(() => migrateClickHouse(clickhouse.store))]);
}

/** Call it before PostgreSQL is opened: the WebAssembly of PGlite must not have been compiled yet (`embedded/signals.ts`). */
export async function loadEmbeddedClickHouse(...kinds: Kinds[]): Promise<void> {
  if (kinds.some(({ clickhouse }) => clickhouse.kind === 'embedded')) {
    await import('../store/clickhouse/embedded/open.ts');
  }
}

/** Embedded kinds are imported only where they are chosen: each is a database in the process. */
export async function openClickHouse(
  kind: ClickHouseKind,
  { config, log, disk }: Pick<Surroundings, 'config' | 'log' | 'disk'>,
): Promise<OpenedClickHouse> {
  switch (kind.kind) {
    case 'embedded': {
      const { embeddedClickHouse } = await import('../store/clickhouse/embedded/open.ts');
      return embeddedClickHouse(kind.folder, { limits: readLimits(config, availableParallelism()), disk });
    }
    case 'server':
      return serverClickHouse({
        ...kind,
        limits: readLimits(config, coresOfServer),
        onChange: (message) => log.warn(message),
      });
    default:
      throw kind satisfies never;
  }
}

export async function openPostgres(
  kind: PostgresKind,
  { log, disk }: Pick<Surroundings, 'log' | 'disk'>,
): Promise<OpenedStore<Postgres>> {
  switch (kind.kind) {
    case 'embedded': {
      const { embeddedPostgres } = await import('../store/postgres/embedded/open.ts');
      return embeddedPostgres(kind.folder, {
        disk,
        onStopped: (error) => log.error({ err: error }, 'PostgreSQL stopped'),
        onReopened: () => log.info('PostgreSQL was opened again'),
      });
    }
    case 'server':
      return serverPostgres(kind);
    default:
      throw kind satisfies never;
  }
}

/** What writes to ClickHouse. Closing them stores what was accepted. */
export function openWriters(
  { log, disk, metrics, peers }: Surroundings,
  { clickhouse: { store, onDiskLevel } }: Databases,
  opened: Opened,
): Writers {
  const isOnThisDisk = onDiskLevel !== null;
  const writer = openCallWriter(store.internal, peers);
  const calls = metrics.stores.calls(isOnThisDisk ? guardCalls(writer, disk) : writer);
  const batched = openBatchedInserter(store.internal);
  const inserter = isOnThisDisk ? guardInserter(batched, disk) : batched;
  opened.add({ close: () => Promise.all([calls.drain(), inserter.drain()]) });
  const laterCalls = openBackgroundCallWriter(calls, (error) => log.error({ err: error }, 'a call was not recorded'));
  opened.add({ close: () => laterCalls.drain() });
  return { calls, laterCalls, inserter };
}

/** What a server can do at the same time is not known: its own limits count, and statements wait for each other there. */
const coresOfServer = 8;

function readLimits(config: Config, cores: number): ReadLimits {
  const quickMax = Math.min(Math.max(2 * cores, 8), 16);
  return {
    budget: {
      timeMs: config.queryTimeMaxMs,
      bytesRead: config.queryReadMaxBytes,
      memoryBytes: config.queryMemoryMaxBytes,
      threads: Math.min(config.queryThreadsMax, cores),
    },
    lanes: {
      quickMax,
      quickPerGroupMax: quickMax / 2,
      heavyMax: Math.max(1, Math.floor(cores / 2)),
      longMax: config.queryLongMax,
      longPerGroupMax: Math.max(1, Math.floor(config.queryLongMax / 2)),
      trialMs: config.queryTrialMs,
      waitingPerGroupMax: config.queryWaitingMax,
      waitMsMax: config.queryWaitMaxMs,
    },
  };
}
