import { sql } from 'kysely';
import type { ProjectId } from '../../../contract/ids.ts';
import type { Postgres } from '../postgres.ts';
import { storableJson } from '../storable.ts';

/** A model that a client of the Tinker API trains, or has trained. */
export type TinkerRun = {
  id: string;
  modelId: string;
  projectId: ProjectId;
  jobId: string | null;
  baseModel: string;
  loraRank: number;
  loraAlpha: number;
  userMetadata: Record<string, unknown> | null;
  createdBy: string;
  lastRequestAt: Date;
};

type NewRun = Pick<TinkerRun, 'id' | 'modelId' | 'loraRank' | 'loraAlpha' | 'userMetadata' | 'createdBy'>;

export async function addTinkerRun({ db }: Pick<Postgres, 'db'>, run: NewRun): Promise<void> {
  await db
    .insertInto('tinker_runs')
    .values({
      id: run.id,
      model_id: run.modelId,
      lora_rank: run.loraRank,
      lora_alpha: run.loraAlpha,
      user_metadata: run.userMetadata && storableJson(run.userMetadata),
      created_by: run.createdBy,
    })
    .execute();
}

export async function findTinkerRun({ db }: Pick<Postgres, 'db'>, id: string): Promise<TinkerRun | null> {
  const row = await selectRuns({ db }).where('run.id', '=', id).executeTakeFirst();
  return (row as TinkerRun | undefined) ?? null;
}

/** The runs of a user, the newest first, of one project or of all. */
export async function listTinkerRuns(
  { db }: Pick<Postgres, 'db'>,
  { userId, projectId, offset, limit }: { userId: string; projectId: string | null; offset: number; limit: number },
): Promise<{ runs: TinkerRun[]; total: number }> {
  let [page, count] = [selectRuns({ db }), selectRuns({ db }).clearSelect()];
  page = page.where('run.created_by', '=', userId);
  count = count.where('run.created_by', '=', userId);
  if (projectId !== null) {
    page = page.where('model.project_id', '=', projectId);
    count = count.where('model.project_id', '=', projectId);
  }
  const rows = await page
    .orderBy('run.created_at', 'desc')
    .orderBy('run.id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute();
  const { total } = await count.select((select) => select.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  return { runs: rows as TinkerRun[], total: Number(total) };
}

/** Marks runs as in training by this process. */
export async function seeTinkerRuns(
  { db }: Pick<Postgres, 'db'>,
  runs: readonly { id: string; lastRequestAt: Date }[],
): Promise<void> {
  for (const { id, lastRequestAt } of runs) {
    await db
      .updateTable('tinker_runs')
      .set({ seen_at: sql<Date>`now()`, last_request_at: lastRequestAt })
      .where('id', '=', id)
      .execute();
  }
}

export async function setJobOfTinkerRun({ db }: Pick<Postgres, 'db'>, id: string, jobId: string): Promise<void> {
  await db.updateTable('tinker_runs').set({ job_id: jobId }).where('id', '=', id).execute();
}

export async function endTinkerRun({ db }: Pick<Postgres, 'db'>, id: string): Promise<void> {
  await db
    .updateTable('tinker_runs')
    .set({ ended_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .execute();
}

/** Runs that no process has had in training for a while, and that have not ended. */
export async function lostTinkerRuns({ db }: Pick<Postgres, 'db'>, seconds: number): Promise<TinkerRun[]> {
  const rows = await selectRuns({ db })
    .where('run.ended_at', 'is', null)
    .where('run.seen_at', '<', sql<Date>`now() - make_interval(secs => ${seconds})`)
    .execute();
  return rows as TinkerRun[];
}

function selectRuns({ db }: Pick<Postgres, 'db'>) {
  return db
    .selectFrom('tinker_runs as run')
    .innerJoin('trained_models as model', 'model.id', 'run.model_id')
    .select([
      'run.id',
      'run.model_id as modelId',
      'run.job_id as jobId',
      'run.lora_rank as loraRank',
      'run.lora_alpha as loraAlpha',
      'run.user_metadata as userMetadata',
      'run.created_by as createdBy',
      'run.last_request_at as lastRequestAt',
      'model.project_id as projectId',
      'model.base_model as baseModel',
    ]);
}
