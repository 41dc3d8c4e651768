import { sql } from 'kysely';
import type { Postgres } from '../postgres.ts';
import { storableJson } from '../storable.ts';

/** What a client of the Tinker API saved. */
export type TinkerCheckpoint = {
  id: string;
  runId: string;
  kind: 'training' | 'sampler' | 'external';
  name: string;
  /** The checkpoint of the trained model that it is; null for one that is not served. */
  checkpointId: string | null;
  sizeBytes: number;
  userMetadata: Record<string, string> | null;
  createdAt: Date;
  expiresAt: Date | null;
};

/** @returns false if the run has one of this name */
export async function addTinkerCheckpoint(
  { db }: Pick<Postgres, 'db'>,
  checkpoint: Omit<TinkerCheckpoint, 'createdAt'>,
): Promise<boolean> {
  const row = await db
    .insertInto('tinker_checkpoints')
    .values({
      id: checkpoint.id,
      run_id: checkpoint.runId,
      kind: checkpoint.kind,
      name: checkpoint.name,
      checkpoint_id: checkpoint.checkpointId,
      size_bytes: checkpoint.sizeBytes,
      user_metadata: checkpoint.userMetadata && storableJson(checkpoint.userMetadata),
      expires_at: checkpoint.expiresAt,
    })
    .onConflict((on) => on.columns(['run_id', 'kind', 'name']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** One that has not expired. */
export async function findTinkerCheckpoint(
  { db }: Pick<Postgres, 'db'>,
  { runId, kind, name }: Pick<TinkerCheckpoint, 'runId' | 'kind' | 'name'>,
): Promise<TinkerCheckpoint | null> {
  const row = await selectCheckpoints({ db })
    .where('run_id', '=', runId)
    .where('kind', '=', kind)
    .where('name', '=', name)
    .executeTakeFirst();
  return row ?? null;
}

/** Those of some runs that have not expired, the newest first. */
export async function listTinkerCheckpoints(
  { db }: Pick<Postgres, 'db'>,
  runIds: readonly string[],
): Promise<TinkerCheckpoint[]> {
  if (runIds.length === 0) return [];
  return selectCheckpoints({ db })
    .where('run_id', 'in', runIds)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

/** Those of the runs of a user that have not expired, the newest first. */
export async function listTinkerCheckpointsOf(
  { db }: Pick<Postgres, 'db'>,
  { userId, offset, limit }: { userId: string; offset: number; limit: number },
): Promise<{ checkpoints: TinkerCheckpoint[]; total: number }> {
  const ofUser = db.selectFrom('tinker_runs').select('id').where('created_by', '=', userId);
  const all = selectCheckpoints({ db }).where('run_id', 'in', ofUser);
  const checkpoints = await all
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute();
  const { total } = await all
    .clearSelect()
    .select((select) => select.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { checkpoints, total: Number(total) };
}

/** @param expiresAt null: never */
export async function setExpiryOfTinkerCheckpoint(
  { db }: Pick<Postgres, 'db'>,
  id: string,
  expiresAt: Date | null,
): Promise<void> {
  await db.updateTable('tinker_checkpoints').set({ expires_at: expiresAt }).where('id', '=', id).execute();
}

export async function deleteTinkerCheckpoint({ db }: Pick<Postgres, 'db'>, id: string): Promise<void> {
  await db.deleteFrom('tinker_checkpoints').where('id', '=', id).execute();
}

export async function expiredTinkerCheckpoints({ db }: Pick<Postgres, 'db'>): Promise<TinkerCheckpoint[]> {
  return columnsOf({ db }).where('expires_at', '<', sql<Date>`now()`).execute();
}

function selectCheckpoints({ db }: Pick<Postgres, 'db'>) {
  return columnsOf({ db }).where((where) =>
    where.or([where('expires_at', 'is', null), where('expires_at', '>', sql<Date>`now()`)]),
  );
}

function columnsOf({ db }: Pick<Postgres, 'db'>) {
  return db
    .selectFrom('tinker_checkpoints')
    .select([
      'id',
      'run_id as runId',
      'kind',
      'name',
      'checkpoint_id as checkpointId',
      'size_bytes as sizeBytes',
      'user_metadata as userMetadata',
      'created_at as createdAt',
      'expires_at as expiresAt',
    ]);
}
