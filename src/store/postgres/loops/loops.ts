import type { ProjectId } from '../../../contract/ids.ts';
import { conflict } from '../../../util/failures.ts';
import type { Postgres } from '../postgres.ts';

export type StoredLoop = {
  id: string;
  projectId: ProjectId;
  name: string;
  /** JSON, as clients send it. */
  plan: string;
  pausedAt: Date | null;
  pausedReason: string | null;
  createdBy: string;
  createdAt: Date;
  updatedAt: Date;
};

type Db = Pick<Postgres, 'db'>;

/** @throws Failure conflict if the project has a loop of this name */
export async function addLoop(
  { db }: Db,
  { id, projectId, name, plan, createdBy }: Pick<StoredLoop, 'id' | 'projectId' | 'name' | 'plan' | 'createdBy'>,
): Promise<void> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('loops')
    .values({ id, project_id: projectId, name, plan, created_by: createdBy })
    .onConflict((on) => on.columns(['project_id', 'name']).doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows !== 1n) throw conflict(`The project already has a loop ${name}.`);
}

export async function findLoop(db: Db, projectId: ProjectId, name: string): Promise<StoredLoop | null> {
  return (
    (await selectLoops(db).where('project_id', '=', projectId).where('name', '=', name).executeTakeFirst()) ?? null
  );
}

export async function findLoopById(db: Db, id: string): Promise<StoredLoop | null> {
  return (await selectLoops(db).where('id', '=', id).executeTakeFirst()) ?? null;
}

/** By name. */
export function listLoops(db: Db, projectId: ProjectId): Promise<StoredLoop[]> {
  return selectLoops(db).where('project_id', '=', projectId).orderBy('name').execute();
}

export async function savePlan({ db }: Db, id: string, plan: string): Promise<void> {
  await db.updateTable('loops').set({ plan, updated_at: new Date() }).where('id', '=', id).execute();
}

/** The first pause counts. @param pause null to go on */
export async function savePause({ db }: Db, id: string, pause: { at: Date; reason: string } | null): Promise<void> {
  const update = db.updateTable('loops').where('id', '=', id);
  if (pause === null) await update.set({ paused_at: null, paused_reason: null }).execute();
  else await update.set({ paused_at: pause.at, paused_reason: pause.reason }).where('paused_at', 'is', null).execute();
}

export async function deleteLoop({ db }: Db, id: string): Promise<void> {
  await db.deleteFrom('loops').where('id', '=', id).execute();
}

function selectLoops({ db }: Db) {
  return db
    .selectFrom('loops')
    .select([
      'id',
      'project_id as projectId',
      'name',
      'plan',
      'paused_at as pausedAt',
      'paused_reason as pausedReason',
      'created_by as createdBy',
      'created_at as createdAt',
      'updated_at as updatedAt',
    ])
    .$narrowType<{ projectId: ProjectId }>();
}
