import { sql } from 'kysely';
import type { Postgres } from '../postgres.ts';

/**
 * Blobs that no artifact refers to any more. A transaction that removes the last file with a blob lists its key here; its bytes
 * are deleted later. A commit checks, in its transaction, that none of its keys is listed. The lock of the project keeps one
 * from overtaking the other.
 */
type Database = Pick<Postgres, 'db'>;

/** Keeps blobs of a project from being listed until the transaction ends. */
export async function keepBlobs({ db }: Database, projectId: string): Promise<void> {
  await db.selectFrom('projects').select('id').where('id', '=', projectId).forShare().execute();
}

/** Waits for commits and other deletions of artifacts in these projects, and makes new ones wait. */
export async function lockBlobs({ db }: Database, projectIds: string[]): Promise<void> {
  if (projectIds.length === 0) return;
  await db.selectFrom('projects').select('id').where('id', 'in', projectIds).orderBy('id').forNoKeyUpdate().execute();
}

export async function addDeletedBlobs({ db }: Database, keys: string[]): Promise<void> {
  await sql`
    INSERT INTO ${sql.table('deleted_blobs')} (key) SELECT unnest(${keys}::text[])
    ON CONFLICT (key) DO UPDATE SET is_empty = false, deleted_at = now()`.execute(db);
}

/** Those of the keys that are listed. */
export async function findDeletedBlobs({ db }: Database, keys: string[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (let from = 0; from < keys.length; from += keysAtOnce) {
    const { rows } = await sql<{ key: string }>`
      SELECT key FROM ${sql.table('deleted_blobs')} WHERE key = ANY(${keys.slice(from, from + keysAtOnce)}::text[])`.execute(
      db,
    );
    for (const { key } of rows) found.add(key);
  }
  return found;
}

const keysAtOnce = 10_000;

/** Some keys that have been listed for at least this time, the oldest first, whose bytes are not known to be deleted. */
export async function listFullBlobs(
  { db }: Database,
  { forSeconds, limit }: { forSeconds: number; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('deleted_blobs')
    .select('key')
    .where('is_empty', '=', false)
    .where('deleted_at', '<=', ago(forSeconds))
    .orderBy('deleted_at')
    .limit(limit)
    .execute();
  return rows.map(({ key }) => key);
}

export async function markEmpty({ db }: Database, keys: string[]): Promise<void> {
  await sql`UPDATE ${sql.table('deleted_blobs')} SET is_empty = true WHERE key = ANY(${keys}::text[])`.execute(db);
}

/** Forgets keys without bytes that have been listed for at least this time. From then on, they can be used again. */
export async function forgetDeletedBlobs({ db }: Database, forSeconds: number): Promise<void> {
  await db
    .deleteFrom('deleted_blobs')
    .where('is_empty', '=', true)
    .where('deleted_at', '<=', ago(forSeconds))
    .execute();
}

function ago(seconds: number) {
  return sql<Date>`now() - make_interval(secs => ${seconds})`;
}
