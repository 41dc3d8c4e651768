import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import { PostgresServerError } from './errors.ts';

/** How a process uses a schema: as the only one, or beside others that share it. */
export type SchemaUse = 'alone' | 'shared';

/**
 * Locks the schema for as long as the connection lasts. A process that uses it alone meets neither another one nor those that
 * share it. Polls, because a statement that waits for an advisory lock and one that creates an index concurrently block each other.
 * @throws PostgresServerError with what to do
 */
export async function lockSchema(client: pg.Client, schema: string, use: SchemaUse, waitMsMax: number): Promise<void> {
  const lock = use === 'alone' ? 'pg_try_advisory_lock' : 'pg_try_advisory_lock_shared';
  const until = performance.now() + waitMsMax;
  while (!(await tryLock(client, lock, lockKey(schema)))) {
    if (performance.now() > until) throw new PostgresServerError(await refusal(client, schema, use));
    await setTimeout(pollMs);
  }
}

async function refusal(client: pg.Client, schema: string, use: SchemaUse): Promise<string> {
  const isSharedByOthers = (await modesOf(client, lockKey(schema))).includes('ShareLock');
  if (use === 'shared') {
    return (
      `A heddle uses the schema ${schema} alone: it has a part of its data in its data directory, moves data, or is of a version that ` +
      'does not share. Stop it first. A process whose machine has failed holds the schema for a minute.'
    );
  }
  if (isSharedByOthers) {
    return (
      `Other heddle processes share the schema ${schema}, and this one would have to be alone with it, because a part of its data is in ` +
      'a data directory, or is moved. Stop the others; or set HEDDLE_CLICKHOUSE_URL, HEDDLE_POSTGRES_URL and HEDDLE_BLOBS_URL as they ' +
      'have them; or name another schema in HEDDLE_POSTGRES_URL, such as ?schema=heddle2.'
    );
  }
  return (
    `Another heddle uses the schema ${schema}. Stop it, or name another schema in HEDDLE_POSTGRES_URL, such as ` +
    '?schema=heddle2. A process whose machine has failed holds the schema for a minute.'
  );
}

/** In which modes sessions hold a lock. */
async function modesOf(client: pg.Client, key: string): Promise<string[]> {
  return (await holdersOf(client, key)).map(({ mode }) => mode);
}

/** The sessions that hold a lock. A name is null if this user may not read it. */
async function holdersOf(client: pg.Client, key: string): Promise<{ mode: string; name: string | null }[]> {
  const { rows } = await client.query<{ mode: string; name: string | null }>(
    `SELECT l.mode, a.application_name AS name FROM pg_locks l LEFT JOIN pg_stat_activity a USING (pid)
       WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
       AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND (l.classid::bigint << 32) | l.objid::bigint = $1::bigint`,
    [key],
  );
  return rows;
}

/**
 * Does work while no other process changes the schema, of this store or of another one. It may be called within such work. A process
 * that freezes meanwhile loses its connection, and with it the lock, after a minute.
 * @param onWait called every now and then while another process does so, with whom this one waits for
 */
export async function whileNoOtherChanges<Result>(
  client: pg.Client,
  schema: string,
  work: () => Promise<Result>,
  onWait: (message: string) => void = () => {},
): Promise<Result> {
  const key = hashKey(`heddle migrations ${schema}`);
  const since = performance.now();
  for (let reportAt = since + firstReportMs; !(await tryLock(client, 'pg_try_advisory_lock', key)); ) {
    await setTimeout(pollMs);
    if (performance.now() < reportAt) continue;
    reportAt = performance.now() + nextReportMs;
    const [holder] = await holdersOf(client, key);
    const seconds = Math.round((performance.now() - since) / 1000);
    onWait(
      `waiting for another process to start or to migrate the stores${holder?.name ? `: ${holder.name}` : ''} (${seconds} s)`,
    );
  }
  const { rows } = await client.query('SHOW idle_session_timeout');
  await client.query(`SET idle_session_timeout = '${silentSecondsMax}s'`);
  const alive = setInterval(() => void client.query('SELECT 1').catch(() => {}), (silentSecondsMax / 6) * 1000).unref();
  try {
    const result = await work();
    await client.query('SELECT 1'); // fails if the connection, and the lock with it, was lost meanwhile
    return result;
  } finally {
    clearInterval(alive);
    const before = rows[0].idle_session_timeout; // not the default within such work
    await client.query(`SET idle_session_timeout = '${before}'`).catch(() => {});
    await client.query('SELECT pg_advisory_unlock($1)', [key]).catch(() => {});
  }
}

const silentSecondsMax = 60;

/** After how long a wait is reported, and how often from then on. */
const firstReportMs = 2000;
const nextReportMs = 30_000;

async function tryLock(client: pg.Client, lock: string, key: string): Promise<boolean> {
  const { rows } = await client.query<{ got: boolean }>(`SELECT ${lock}($1) AS got`, [key]);
  return rows[0]!.got;
}

const pollMs = 250;

/** The number of a schema's lock. */
export function lockKey(schema: string): string {
  return hashKey(`heddle ${schema}`);
}

/** 64 bits of a hash, as text. */
function hashKey(text: string): string {
  const hash = createHash('sha256').update(text).digest();
  return BigInt.asIntN(64, hash.readBigUInt64BE()).toString();
}
