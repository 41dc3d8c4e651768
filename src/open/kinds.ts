import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError } from '../config.ts';
import type { DataDirectory } from '../store/data-directory.ts';
import { parseServerUrl, type ServerAddress } from '../store/postgres/server/server-url.ts';

/** Where PostgreSQL runs: in this process, or on a server that a URL names. */
export type PostgresKind =
  | { kind: 'embedded'; folder: string }
  | { kind: 'server'; address: ServerAddress; direct: ServerAddress; connectionsMax: number };

/** @throws ConfigError if the directory has records that a server does not have */
export function postgresKind(
  { postgresUrl, postgresDirectUrl, postgresConnectionsMax }: Config,
  { postgres: folder }: DataDirectory,
): PostgresKind {
  if (postgresUrl === '') return { kind: 'embedded', folder };
  if (existsSync(join(folder, 'PG_VERSION'))) {
    throw new ConfigError(
      `HEDDLE_POSTGRES_URL names a server, but ${folder} has records that the server does not have. Choose a new data ` +
        'directory with --data or HEDDLE_DATA, or remove HEDDLE_POSTGRES_URL.',
    );
  }
  const address = parseServerUrl(postgresUrl);
  const direct = postgresDirectUrl === '' ? address : { ...parseServerUrl(postgresDirectUrl), schema: address.schema };
  return { kind: 'server', address, direct, connectionsMax: postgresConnectionsMax };
}
