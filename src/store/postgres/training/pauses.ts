import type { Postgres } from '../postgres.ts';
import { appendEvent, type Fence, type NewEvent } from './jobs.ts';

type Db = Pick<Postgres, 'db'>;

/** Where pauses of a job are stored: jobs of OpenAI's API had them first. */
const tables = ['fine_tuning_jobs', 'training_jobs'] as const;
type Columns = { paused_at?: Date | null; paused_state?: string };

export async function isPaused({ db }: Db, id: string): Promise<boolean> {
  const rows = await Promise.all(
    tables.map((table) => db.selectFrom(table).select('paused_at').where('id', '=', id).executeTakeFirst()),
  );
  return rows.some((row) => row?.paused_at != null);
}

/** A person pauses a job: it finishes its step, and stores its state. @returns false if it was paused already */
export async function markPaused(db: Db, id: string): Promise<boolean> {
  if (await isPaused(db, id)) return false;
  await write(db, id, { paused_at: new Date() });
  return true;
}

export type StoredPause = {
  /** Null if it continues from where it did before. */
  folder: string | null;
  /** Why the job pauses itself, with the event that says so; null: a person has paused it. */
  because: { reason: string; event: NewEvent } | null;
};

/** Stores from which folder a job continues. @returns false if it was over or deleted @throws the error of the fence */
export function storePausedState({ db }: Db, id: string, pause: StoredPause, fence: Fence): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    await fence(transaction);
    const { folder, because } = pause;
    if (because !== null) {
      if (!(await appendEvent({ db: transaction }, id, because.event))) return false;
      await write({ db: transaction }, id, { paused_at: new Date() });
      const reason = { paused_reason: because.reason };
      await transaction.updateTable('training_jobs').set(reason).where('id', '=', id).execute();
    }
    if (folder !== null) await write({ db: transaction }, id, { paused_state: folder });
    return true;
  });
}

/** Call it in the transaction that makes the job continue. @returns whether it was paused */
export async function unpause({ db }: Db, id: string): Promise<boolean> {
  const rows = await Promise.all(
    tables.map((table) =>
      db
        .updateTable(table)
        .set({ paused_at: null })
        .where('id', '=', id)
        .where('paused_at', 'is not', null)
        .returning('id')
        .executeTakeFirst(),
    ),
  );
  await db.updateTable('training_jobs').set({ paused_reason: null }).where('id', '=', id).execute();
  return rows.some((row) => row !== undefined);
}

/** Whether a model has got a checkpoint since a time. */
export async function hasCheckpointSince({ db }: Db, modelId: string, time: Date): Promise<boolean> {
  const row = await db
    .selectFrom('checkpoints')
    .select('id')
    .where('model_id', '=', modelId)
    .where('created_at', '>', time)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

async function write({ db }: Db, id: string, columns: Columns): Promise<void> {
  for (const table of tables) {
    const row = await db.updateTable(table).set(columns).where('id', '=', id).returning('id').executeTakeFirst();
    if (row !== undefined) return;
  }
}
