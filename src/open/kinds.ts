import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Config, ConfigError, environmentName } from '../config.ts';
import { parsePublicUrl, parseS3Url, type S3Address } from '../store/blobs/s3/s3-url.ts';
import {
  type ServerAddress as ClickHouseAddress,
  parseServerUrl as parseClickHouseUrl,
} from '../store/clickhouse/server/server-url.ts';
import { type DataDirectory, kindsName } from '../store/data-directory.ts';
import { parseServerUrl, type ServerAddress } from '../store/postgres/server/server-url.ts';

/** Where each part of a deployment is: in the data directory, or at an address that a setting names. */
export type Kinds = { clickhouse: ClickHouseKind; postgres: PostgresKind; blobs: BlobsKind };

export type ClickHouseKind =
  | { kind: 'embedded'; folder: string }
  | {
      kind: 'server';
      address: ClickHouseAddress;
      insertsPerSecondMax: number;
      quorum: Config['clickhouseInsertQuorum'];
    };

export type PostgresKind =
  | { kind: 'embedded'; folder: string }
  | { kind: 'server'; address: ServerAddress; direct: ServerAddress; connectionsMax: number };

type BlobsKind = { kind: 'directory'; folder: string } | BucketKind;

type BucketKind = {
  kind: 's3';
  address: S3Address;
  /** Where clients reach the server of the bucket; null if they do not. */
  publicUrl: string | null;
  cache: { folder: string; bytesMax: number };
};

/** The setting that names the address of a part. */
export const settingOf = {
  clickhouse: environmentName('clickhouseUrl'),
  postgres: environmentName('postgresUrl'),
  blobs: environmentName('blobsUrl'),
};

/** @throws ConfigError for an address of another form, and for parts that are elsewhere than at the last start */
export function kindsOf(config: Config, directory: DataDirectory): Kinds {
  const kinds = {
    clickhouse: clickhouseKind(config, directory),
    postgres: postgresKind(config, directory),
    blobs: blobsKind(config, directory),
  };
  const before = remembered(directory.path);
  for (const [part, { kind }] of Object.entries(kinds) as [keyof Kinds, Kinds[keyof Kinds]][]) {
    const isOwn = kind === 'embedded' || kind === 'directory';
    if (!isOwn || before[part] === undefined || before[part] === kind) continue;
    throw new ConfigError(
      `${directory.path} was used with ${settingOf[part]}, which is not set now. Set it again, or choose a new data directory with ` +
        '--data or HEDDLE_DATA.',
    );
  }
  return kinds;
}

/** What a data directory knows of the parts that it was used with. */
type Remembered = Partial<Record<keyof Kinds | 'deployment', string>>;

/** Lets the next start notice a setting that is missing: it would show a deployment without its data. */
export function remember({ path }: DataDirectory, { clickhouse, postgres, blobs }: Kinds, deployment: string): void {
  const now: Remembered = { clickhouse: clickhouse.kind, postgres: postgres.kind, blobs: blobs.kind, deployment };
  if (isDeepStrictEqual(now, remembered(path))) return;
  const file = join(path, kindsName);
  writeFileSync(`${file}.part`, JSON.stringify(now), { mode: 0o600 });
  renameSync(`${file}.part`, file);
}

export function remembered(path: string): Remembered {
  const file = join(path, kindsName);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

function clickhouseKind(
  { clickhouseUrl, clickhouseInsertsPerSecondMax, clickhouseInsertQuorum }: Config,
  { clickhouse: folder }: DataDirectory,
): ClickHouseKind {
  if (clickhouseUrl === '') return { kind: 'embedded', folder };
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw hasOwn(folder, 'HEDDLE_CLICKHOUSE_URL names a server');
  return {
    kind: 'server',
    address: parseClickHouseUrl(clickhouseUrl),
    insertsPerSecondMax: clickhouseInsertsPerSecondMax,
    quorum: clickhouseInsertQuorum,
  };
}

function postgresKind(
  { postgresUrl, postgresDirectUrl, postgresConnectionsMax }: Config,
  { postgres: folder }: DataDirectory,
): PostgresKind {
  if (postgresUrl === '') return { kind: 'embedded', folder };
  if (existsSync(join(folder, 'PG_VERSION'))) throw hasOwn(folder, 'HEDDLE_POSTGRES_URL names a server');
  const address = parseServerUrl(postgresUrl);
  const direct = postgresDirectUrl === '' ? address : { ...parseServerUrl(postgresDirectUrl), schema: address.schema };
  return { kind: 'server', address, direct, connectionsMax: postgresConnectionsMax };
}

function blobsKind(
  { blobsUrl, blobsPublicUrl, blobCache, blobCacheMaxBytes }: Config,
  { blobs: folder, cache: ownCache }: DataDirectory,
): BlobsKind {
  if (blobsUrl === '') return { kind: 'directory', folder };
  if (existsSync(folder) && readdirSync(folder).some((name) => name !== 'unfinished')) {
    throw hasOwn(folder, 'HEDDLE_BLOBS_URL names a bucket');
  }
  return {
    kind: 's3',
    address: parseS3Url(blobsUrl),
    publicUrl: blobsPublicUrl === '' ? null : parsePublicUrl(blobsPublicUrl),
    cache: { folder: blobCache === '' ? ownCache : resolve(blobCache), bytesMax: blobCacheMaxBytes },
  };
}

function hasOwn(folder: string, named: string): ConfigError {
  return new ConfigError(
    `${named}, but ${folder} has data that is not there. Choose a new data directory with --data or HEDDLE_DATA, or remove the ` +
      'setting.',
  );
}
