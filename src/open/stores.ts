import { availableParallelism } from 'node:os';
import { migrateClickHouse } from '../store/clickhouse/migrate.ts';
import { serverClickHouse } from '../store/clickhouse/server/open.ts';
import type { Databases, OpenedClickHouse, OpenedStore } from '../store/opened-store.ts';
import type { Peers } from '../store/peers/peers.ts';
import { openReplicaAgreement } from '../store/postgres/clickhouse-servers/replica-agreement.ts';
import { migratePostgres } from '../store/postgres/migrate.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import { serverPostgres } from '../store/postgres/server/open.ts';
import type { SchemaUse } from '../store/postgres/server/schema-locks.ts';
import type { Base } from './base.ts';
import { type ClickHouseKind, canBeShared, type Kinds, type PostgresKind } from './kinds.ts';
import type { Opened } from './opened.ts';
import { coresOfServer, readLimits } from './read-limits.ts';

/** Opens both databases. @throws StoreUnusableError, ClickHouseServerError, PostgresServerError */
export async function openDatabases({ config, kinds, log, disk, metrics }: Base, opened: Opened): Promise<Databases> {
  await loadEmbeddedClickHouse(kinds);
  // Closed last: the agreement on a replica is there.
  const postgres = await openPostgres(kinds.postgres, { log, disk, use: canBeShared(kinds) ? 'shared' : 'alone' });
  opened.add(postgres.store);
  const found = await openClickHouse(kinds.clickhouse, { config, log, disk });
  const clickhouse = { ...found, store: opened.add(metrics.stores.clickhouse(found.store)) };
  return { clickhouse, postgres };
}

/**
 * Migrates both databases to their newest schemas. The processes agree on a replica in between.
 * @param join opens what connects this process with the others, once the records have their schema
 * @throws StoreTooNewError
 */
export async function migrateDatabases(
  { clickhouse, postgres }: Databases,
  join: () => Promise<Peers>,
): Promise<Peers> {
  const joined = migratePostgres(postgres.store).then(join);
  const agree = async () => {
    if (clickhouse.agree === null) return;
    await clickhouse.agree(openReplicaAgreement(postgres.store, await joined));
  };
  const [peers] = await Promise.all([joined, agree().then(() => migrateClickHouse(clickhouse.store))]);
  clickhouse.shareLimits?.(peers);
  return peers;
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
  { config, log, disk }: Pick<Base, 'config' | 'log' | 'disk'>,
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
  { log, disk, use = 'alone' }: Pick<Base, 'log' | 'disk'> & { use?: SchemaUse },
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
      return serverPostgres({ ...kind, use, onWait: (message) => log.info(message) });
    default:
      throw kind satisfies never;
  }
}
