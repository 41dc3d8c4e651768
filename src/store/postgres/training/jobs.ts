import type { Transaction as KyselyTransaction } from 'kysely';
import { newId } from '../../../contract/ids.ts';
import type { TrainingEventType, TrainingKind, TrainingStatus } from '../../../domain/training/job.ts';
import { addCheckpointArtifact, type CheckpointContent } from '../artifacts/checkpoint-artifacts.ts';
import type { Postgres } from '../postgres.ts';
import type { Database } from '../schema.ts';
import { storableJson } from '../storable.ts';

export type TrainingJob = {
  id: string;
  modelId: string;
  kind: TrainingKind;
  config: Record<string, unknown>;
  /** Of its trajectories. */
  metrics: Record<string, number>;
  status: TrainingStatus;
  createdBy: string;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
};

type NewJob = Pick<TrainingJob, 'id' | 'modelId' | 'kind' | 'config' | 'metrics' | 'createdBy'>;

export async function createJob({ db }: Pick<Postgres, 'db'>, job: NewJob): Promise<void> {
  await db
    .insertInto('training_jobs')
    .values({
      id: job.id,
      model_id: job.modelId,
      kind: job.kind,
      config: JSON.stringify(job.config),
      metrics: JSON.stringify(job.metrics),
      created_by: job.createdBy,
    })
    .execute();
}

export async function findJob({ db }: Pick<Postgres, 'db'>, id: string): Promise<TrainingJob | null> {
  return (await selectJobs({ db }).where('id', '=', id).executeTakeFirst()) ?? null;
}

/** The jobs of a model by age, at most `limit` of those after one of them. */
export async function listJobs(
  { db }: Postgres,
  page: { modelId: string; after: string | null; limit: number },
): Promise<TrainingJob[]> {
  let query = selectJobs({ db }).where('model_id', '=', page.modelId);
  if (page.after !== null) query = query.where('id', '>', page.after); // ids of version 7 sort by time
  return query.orderBy('id').limit(page.limit).execute();
}

/** @returns whether the job exists and is not over */
export async function startJob({ db }: Postgres, id: string): Promise<boolean> {
  const row = await db
    .updateTable('training_jobs')
    .set((set) => ({ status: 'running', started_at: set.fn.coalesce('started_at', set.fn<Date>('now')) }))
    .where('id', '=', id)
    .where('status', 'in', ['queued', 'running'])
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** The checkpoint that a job made, whose files are stored already. */
export type NewCheckpoint = {
  id: string;
  metrics: Record<string, number>;
  sizeBytes: number;
  content: CheckpointContent;
};

/** Makes sure, in a transaction that writes about a job, that no other process has taken the job. @throws if one has */
export type Fence = (transaction: Transaction) => Promise<void>;

const unfenced: Fence = async () => {};

/**
 * Ends a job: its final event, its status, its checkpoint and the artifact of it become visible together.
 * @param alsoStore further rows that become visible with them
 * @returns the step of the checkpoint; null if the job was over or deleted, so that nothing was written
 */
export function endJob(
  { db }: Postgres,
  job: TrainingJob,
  checkpoint: NewCheckpoint,
  alsoStore: (postgres: Pick<Postgres, 'db'>) => Promise<void> = async () => {},
  fence: Fence = unfenced,
): Promise<number | null> {
  return db.transaction().execute(async (transaction) => {
    await fence(transaction);
    // Before the job, as a deletion of the model does, so that they never deadlock.
    await transaction
      .selectFrom('trained_models')
      .select('id')
      .where('id', '=', job.modelId)
      .forNoKeyUpdate()
      .execute();
    if (!(await lockOpenJob(transaction, job.id))) return null;
    const { last_step: step } = await transaction
      .updateTable('trained_models')
      .set((set) => ({ last_step: set('last_step', '+', 1) }))
      .where('id', '=', job.modelId)
      .returning('last_step')
      .executeTakeFirstOrThrow();
    await transaction
      .insertInto('checkpoints')
      .values({
        id: checkpoint.id,
        model_id: job.modelId,
        step,
        kind: job.kind,
        metrics: JSON.stringify(checkpoint.metrics),
        size_bytes: checkpoint.sizeBytes,
      })
      .execute();
    const { id, content } = checkpoint;
    await addCheckpointArtifact(
      { db: transaction },
      { id, step, modelId: job.modelId, createdBy: job.createdBy },
      content,
    );
    await alsoStore({ db: transaction });
    await transaction.updateTable('training_jobs').set({ checkpoint_id: id }).where('id', '=', job.id).execute();
    await finish(transaction, job.id, 'ended', { type: 'training_ended', data: {} });
    return step;
  });
}

/**
 * Ends a job without a checkpoint.
 * @param options.param what the client sent that is wrong, if it is that
 * @param options.also what is stored with it
 * @returns false if it was over or deleted
 */
export function failJob(
  { db }: Postgres,
  id: string,
  message: string,
  { param = null, fence = unfenced, also = async () => {} }: FailOptions = {},
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    await fence(transaction);
    if (!(await lockOpenJob(transaction, id))) return false;
    await also(transaction);
    const data = { error_message: message, ...(param === null ? {} : { param }) };
    await finish(transaction, id, 'failed', { type: 'training_failed', data });
    return true;
  });
}

type FailOptions = {
  param?: string | null;
  fence?: Fence;
  also?: (transaction: KyselyTransaction<Database>) => Promise<void>;
};

/** An event; it is numbered when it is stored. */
export type NewEvent = { type: TrainingEventType; data: object };

type Transaction = Pick<Postgres, 'db'>['db'];

async function lockOpenJob(db: Transaction, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('training_jobs')
    .select('id')
    .where('id', '=', id)
    .where('status', 'in', ['queued', 'running'])
    .forUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

async function finish(db: Transaction, id: string, status: 'ended' | 'failed', event: NewEvent): Promise<void> {
  await insertEvent(db, id, event);
  await db.updateTable('training_jobs').set({ status, ended_at: new Date() }).where('id', '=', id).execute();
}

/** Adds an event behind the last one of its job. Lock the job first. */
async function insertEvent(db: Transaction, jobId: string, event: NewEvent): Promise<void> {
  const { count } = await db
    .selectFrom('training_events')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('job_id', '=', jobId)
    .executeTakeFirstOrThrow();
  await db
    .insertInto('training_events')
    .values({
      id: newId(),
      job_id: jobId,
      sequence: count,
      type: event.type,
      data: storableJson(event.data),
    })
    .execute();
}

/**
 * Adds an event to a job that is not over, in a transaction of its own unless one is given.
 * @param also checks and further rows of the same transaction
 * @returns false if it is over or deleted
 */
export function appendEvent(
  { db }: Pick<Postgres, 'db'>,
  jobId: string,
  event: NewEvent,
  also: (transaction: Transaction) => Promise<void> = unfenced,
): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    await also(transaction);
    if (!(await lockOpenJob(transaction, jobId))) return false;
    await insertEvent(transaction, jobId, event);
    return true;
  });
}

function inTransaction<Result>(db: Transaction, work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}

function selectJobs({ db }: Pick<Postgres, 'db'>) {
  return db
    .selectFrom('training_jobs')
    .select([
      'id',
      'model_id as modelId',
      'kind',
      'config',
      'metrics',
      'status',
      'created_by as createdBy',
      'created_at as createdAt',
      'started_at as startedAt',
      'ended_at as endedAt',
    ]);
}
