import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';
import { parsers } from '../types.ts';
import { PostgresServerError } from './errors.ts';
import type { ServerAddress } from './server-url.ts';

/**
 * How to connect. No parameters besides the name of the program are sent at the start of a session, because connection
 * poolers refuse them; limits are set in each transaction (`server-driver.ts`).
 */
export async function connectionOptions(address: ServerAddress): Promise<pg.ClientConfig> {
  const { host, port, user, password, database, connectTimeoutMs } = address;
  const options: pg.ClientConfig = {
    ...{ host, port, user, database, ...(password === undefined ? {} : { password }) },
    ssl: tlsOptions(address),
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: 'heddle',
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: { getTypeParser },
  };
  return address.tls.mode === 'prefer' ? { ...options, ssl: await preferTls(options) } : options;
}

function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return parsers[oid] ?? pg.types.getTypeParser(oid, format as 'text');
}

/** TLS where the server has it. Nothing is verified, as in libpq: `verify-full` protects against others on the network. */
async function preferTls(options: pg.ClientConfig): Promise<pg.ClientConfig['ssl']> {
  const client = new pg.Client(options);
  client.on('error', () => {});
  try {
    await client.connect();
    return options.ssl;
  } catch (error) {
    if (/does not support SSL/.test((error as Error).message)) return false;
    throw error;
  } finally {
    await client.end().catch(() => {});
  }
}

function tlsOptions({ tls }: ServerAddress): false | ConnectionOptions {
  const { mode, rootCertificate, certificate, key } = tls;
  if (mode === 'disable') return false;
  return {
    rejectUnauthorized: mode === 'verify-ca' || mode === 'verify-full',
    ...(mode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}),
    ...(rootCertificate === null || rootCertificate === 'system' ? {} : { ca: read('sslrootcert', rootCertificate) }),
    ...(certificate === null ? {} : { cert: read('sslcert', certificate) }),
    ...(key === null ? {} : { key: read('sslkey', key) }),
  };
}

function read(parameter: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new PostgresServerError(`The ${parameter} of HEDDLE_POSTGRES_URL cannot be read: ${file} (${code}).`);
  }
}
