import type { Postgres } from '../postgres.ts';

/**
 * Records files of a run, which are uploaded or about to be.
 * @returns false, without recording any, if the run would then have more than `filesMax`
 */
export async function addRunFiles(
  { db }: Postgres,
  runId: string,
  names: string[],
  filesMax: number,
): Promise<boolean> {
  if (names.length === 0) return true;
  return db.transaction().execute(async (transaction) => {
    // Locks the run, so that two concurrent requests do not both find room.
    await transaction.selectFrom('runs').select('id').where('id', '=', runId).forNoKeyUpdate().execute();
    const known = await listRunFiles({ db: transaction }, runId, filesMax);
    if (new Set([...known, ...names]).size > filesMax) return false;
    await transaction
      .insertInto('run_files')
      .values(names.map((name) => ({ run_id: runId, name })))
      .onConflict((on) => on.doNothing())
      .execute();
    return true;
  });
}

export async function listRunFiles({ db }: Pick<Postgres, 'db'>, runId: string, limit: number): Promise<string[]> {
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
