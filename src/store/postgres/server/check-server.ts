import type pg from 'pg';
import { PostgresServerError } from './errors.ts';

const oldest = 15;
const newest = 18;

/** Compares a server with what heddle needs. @returns its version */
export async function checkServer(client: pg.Client, where: string): Promise<string> {
  const { rows } = await client.query<Found>(
    `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
      current_setting('server_encoding') AS encoding, current_setting('DateStyle') AS "dateStyle",
      pg_is_in_recovery() AS "isStandby", pg_backend_pid() AS "processId"`,
  );
  const fault = faultOf(rows[0]!, (client as unknown as { processID: number }).processID);
  if (fault !== null) throw new PostgresServerError(`PostgreSQL at ${where} ${fault}`);
  return rows[0]!.version.split(' ', 1)[0]!;
}

type Found = {
  version: string;
  number: number;
  encoding: string;
  dateStyle: string;
  isStandby: boolean;
  processId: number;
};

function faultOf(found: Found, announcedId: number): string | null {
  const major = Math.floor(found.number / 10_000);
  if (major < oldest || major > newest)
    return `is version ${found.version}. heddle needs ${oldest} to ${newest}: use such a server.`;
  if (found.encoding !== 'UTF8')
    return `stores text as ${found.encoding}. Create the database with: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`;
  if (!found.dateStyle.startsWith('ISO'))
    return `writes dates as ${found.dateStyle}. Change that with: ALTER ROLE … SET datestyle TO 'ISO'`;
  if (found.isStandby) return 'is a standby, which refuses writes. Give the address of the primary server.';
  // A pooler announces numbers of its own.
  if (found.processId !== announcedId)
    return 'is behind a connection pooler, which cannot hold locks. Give its own address with HEDDLE_POSTGRES_DIRECT_URL.';
  return null;
}
