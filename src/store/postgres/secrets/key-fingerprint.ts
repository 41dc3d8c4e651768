import { sql } from 'kysely';
import type { Postgres } from '../postgres.ts';

type Store = Pick<Postgres, 'db'>;

/** Which key the secrets of this deployment are encrypted with; null if nobody has recorded it. */
export async function findFingerprint({ db }: Store): Promise<string | null> {
  const found = await db.selectFrom('secret_key').select('fingerprint').executeTakeFirst();
  return found?.fingerprint ?? null;
}

export async function saveFingerprint({ db }: Store, fingerprint: string): Promise<void> {
  const row = { is_only: true, fingerprint };
  await db
    .insertInto('secret_key')
    .values(row)
    .onConflict((on) => on.column('is_only').doUpdateSet(row))
    .execute();
}

/** Whether a process has a lease. */
export async function hasProcesses({ db }: Store): Promise<boolean> {
  const live = db.selectFrom('processes').select('id').where('expires_at', '>', sql<Date>`clock_timestamp()`);
  return (await live.executeTakeFirst()) !== undefined;
}
