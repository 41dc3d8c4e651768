import type { Postgres } from '../postgres.ts';

/** Records files of a run, which are uploaded or about to be. */
export async function addRunFiles({ db }: Postgres, runId: string, names: string[]): Promise<void> {
  if (names.length === 0) return;
  await db
    .insertInto('run_files')
    .values(names.map((name) => ({ run_id: runId, name })))
    .onConflict((on) => on.doNothing())
    .execute();
}

export async function listRunFiles({ db }: Postgres, runId: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('run_files')
    .select('name')
    .where('run_id', '=', runId)
    .orderBy('name')
    .limit(limit)
    .execute();
  return rows.map(({ name }) => name);
}

export async function removeRunFile({ db }: Postgres, runId: string, name: string): Promise<void> {
  await db.deleteFrom('run_files').where('run_id', '=', runId).where('name', '=', name).execute();
}
