import { openQueue } from '../../jobs/queue.ts';
import type { Log } from '../../log.ts';
import type { Blobs } from '../../store/blobs/blobs.ts';
import { copyBlobs, countBlobs, hasBlobs } from '../../store/blobs/copy-blobs.ts';
import { openBlobDirectory, removeUnfinished } from '../../store/blobs/directory/blob-directory.ts';
import { openS3 } from '../../store/blobs/s3/open.ts';
import type { ClickHouse } from '../../store/clickhouse/clickhouse.ts';
import {
  copyClickHouse,
  countRows as countClickHouse,
  hasRows as hasClickHouseRows,
} from '../../store/clickhouse/copy/copy-clickhouse.ts';
import { clickhouseDeployment } from '../../store/clickhouse/deployment-id.ts';
import { migrateClickHouse } from '../../store/clickhouse/migrate.ts';
import type { CopyState, CopyWatch } from '../../store/copies.ts';
import type { DeploymentId } from '../../store/deployment-id.ts';
import type { Disk } from '../../store/disk/disk.ts';
import { guardBlobs } from '../../store/disk/guards.ts';
import { openAgreementAlone } from '../../store/peers/agreement-alone.ts';
import { copyPostgres, countRows, hasRows } from '../../store/postgres/copy/copy-postgres.ts';
import { postgresDeployment } from '../../store/postgres/deployment-id.ts';
import { migratePostgres } from '../../store/postgres/migrate.ts';
import type { Postgres } from '../../store/postgres/postgres.ts';
import type { Opened } from '../opened.ts';
import { openClickHouse, openPostgres } from '../stores.ts';
import type { Side } from './sides.ts';

/** What a move does with the stores of one part. */
export type Mover<Store> = {
  name: string;
  open(side: Side, surroundings: Surroundings): Promise<Store>;
  /** Lets a source rest, as far as its kind allows. */
  rest(store: Store): Promise<void>;
  /** Null where a part has no id of its own: the data directory has it. */
  ids(store: Store): DeploymentId | null;
  hasRows(store: Store): Promise<boolean>;
  /** Migrates it to the newest schema. */
  prepare(store: Store): Promise<void>;
  count(store: Store): Promise<Record<string, number>>;
  copy(stores: { source: Store; target: Store }, state: CopyState, watch: CopyWatch): Promise<void>;
};

export type Surroundings = { log: Log; disk: Disk; opened: Opened };

export const clickhouseMover: Mover<ClickHouse> = {
  name: 'ClickHouse',
  async open({ kinds, config }, { log, disk, opened }) {
    const { store, agree } = await openClickHouse(kinds.clickhouse, { config, log, disk });
    opened.add(store);
    if (agree !== null) await agree(openAgreementAlone()); // no server runs meanwhile
    return store;
  },
  async rest(store) {
    // Merges would change its files, and use more memory than the copy.
    if (store.layout.kind === 'embedded') await store.command('SYSTEM STOP MERGES');
  },
  ids: clickhouseDeployment,
  hasRows: hasClickHouseRows,
  prepare: migrateClickHouse,
  count: countClickHouse,
  copy: copyClickHouse,
};

export const postgresMover: Mover<Postgres> = {
  name: 'PostgreSQL',
  async open({ kinds }, { log, disk, opened }) {
    const { store } = await openPostgres(kinds.postgres, { log, disk });
    return opened.add(store);
  },
  rest: async () => {},
  ids: postgresDeployment,
  hasRows,
  async prepare(store) {
    await migratePostgres(store);
    const queue = await openQueue(store, () => {}); // makes its tables
    await queue.close();
  },
  count: countRows,
  copy: copyPostgres,
};

export const blobsMover: Mover<{ blobs: Blobs; deployment: DeploymentId | null }> = {
  name: 'Files',
  async open({ kinds, credentials }, { disk, opened }) {
    if (kinds.blobs.kind === 'directory') {
      removeUnfinished(kinds.blobs.folder);
      return { blobs: guardBlobs(openBlobDirectory(kinds.blobs.folder), disk), deployment: null };
    }
    const bucket = opened.add(await openS3(kinds.blobs.address, { credentials }));
    return bucket;
  },
  rest: async () => {},
  ids: ({ deployment }) => deployment,
  hasRows: (store) => hasBlobs(store.blobs),
  prepare: async () => {},
  count: (store) => countBlobs(store.blobs),
  copy: ({ source, target }, state, watch) => copyBlobs({ source: source.blobs, target: target.blobs }, state, watch),
};
