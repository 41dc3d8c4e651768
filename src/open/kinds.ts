import { existsSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Config, environmentName } from '../config.ts';
import { parsePublicUrl, parseS3Url, type S3Address } from '../store/blobs/s3/s3-url.ts';
import {
  type ServerAddress as ClickHouseAddress,
  parseServerUrl as parseClickHouseUrl,
} from '../store/clickhouse/server/server-url.ts';
import type { DataDirectory } from '../store/data-directory.ts';
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

/** What settings say, whatever a data directory was used with. */
export function namedKinds(config: Config, directory: StoreFolders): Kinds {
  return {
    clickhouse: clickhouseKind(config, directory),
    postgres: postgresKind(config, directory),
    blobs: blobsKind(config, directory),
  };
}

type StoreFolders = Pick<DataDirectory, 'clickhouse' | 'postgres' | 'blobs' | 'cache'>;

/** Whether several processes may use these parts at once: none of them is in a data directory. */
export function canBeShared(kinds: Kinds): boolean {
  return partNames.every((part) => kinds[part].kind === 'server' || kinds[part].kind === 's3');
}

export const partNames = ['clickhouse', 'postgres', 'blobs'] as const satisfies (keyof Kinds)[];

/** Whether the folder of a part has data. */
export function isUsed(part: keyof Kinds, directory: StoreFolders): boolean {
  const folder = directory[part];
  if (!existsSync(folder)) return false;
  const names = readdirSync(folder);
  switch (part) {
    case 'clickhouse':
      return names.length > 0;
    case 'postgres':
      return names.includes('PG_VERSION');
    case 'blobs':
      return names.some((name) => name !== 'unfinished');
    default:
      throw part satisfies never;
  }
}

function clickhouseKind(
  { clickhouseUrl, clickhouseInsertsPerSecondMax, clickhouseInsertQuorum }: Config,
  { clickhouse: folder }: StoreFolders,
): ClickHouseKind {
  if (clickhouseUrl === '') return { kind: 'embedded', folder };
  return {
    kind: 'server',
    address: parseClickHouseUrl(clickhouseUrl),
    insertsPerSecondMax: clickhouseInsertsPerSecondMax,
    quorum: clickhouseInsertQuorum,
  };
}

function postgresKind(
  { postgresUrl, postgresDirectUrl, postgresConnectionsMax }: Config,
  { postgres: folder }: StoreFolders,
): PostgresKind {
  if (postgresUrl === '') return { kind: 'embedded', folder };
  const address = parseServerUrl(postgresUrl);
  const direct = postgresDirectUrl === '' ? address : { ...parseServerUrl(postgresDirectUrl), schema: address.schema };
  return { kind: 'server', address, direct, connectionsMax: postgresConnectionsMax };
}

function blobsKind(
  { blobsUrl, blobsPublicUrl, blobCache, blobCacheMaxBytes }: Config,
  { blobs: folder, cache: ownCache }: StoreFolders,
): BlobsKind {
  if (blobsUrl === '') return { kind: 'directory', folder };
  return {
    kind: 's3',
    address: parseS3Url(blobsUrl),
    publicUrl: blobsPublicUrl === '' ? null : parsePublicUrl(blobsPublicUrl),
    cache: { folder: blobCache === '' ? ownCache : resolve(blobCache), bytesMax: blobCacheMaxBytes },
  };
}
