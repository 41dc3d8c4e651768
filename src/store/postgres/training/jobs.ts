import { type Transaction as KyselyTransaction, sql } from 'kysely';
import { newId } from '../../../contract/ids.ts';
import type { SuiteCheck, TrainingEventType, TrainingKind, TrainingStatus } from '../../../domain/training/job.ts';
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
  /** A paused job is queued or running, and no process works on it, or soon none does. */
  pausedAt: Date | null;
  /** The folder from which it continues after a pause; null if it was never paused, or only by an older version. */
  pausedState: string | null;
  /** Null if a person paused it. */
  pausedReason: string | null;
  /** Why a running job does not train yet. */
  waitingReason: string | null;
  /** Whether it may train on rows of suites. */
  allowsSuiteRows: boolean;
  /** Null until its data is compared with the suites of its project. */
  suiteCheck: SuiteCheck | null;
  /** How many rows of its data match a row of a suite; null until then. */
  suiteRowsFound: number | null;
  /** `base`, or the id of the checkpoint that it continues from; null: the latest one. */
  startsFrom: string | null;
};

type NewJob = Pick<TrainingJob, 'id' | 'modelId' | 'kind' | 'config' | 'metrics' | 'createdBy'> & {
  allowsSuiteRows?: boolean;
  startsFrom?: string | null;
};

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
      allows_suite_rows: job.allowsSuiteRows ?? false,
      starts_from: job.startsFrom ?? null,
    })
    .execute();
}

export async function findJob({ db }: Pick<Postgres, 'db'>, id: string): Promise<TrainingJob | null> {
  return (await selectJobs({ db }).where('job.id', '=', id).executeTakeFirst()) ?? null;
}

/** The jobs of a model by age, at most `limit` of those after one of them. */
export async function listJobs(
  { db }: Postgres,
  page: { modelId: string; after: string | null; limit: number },
): Promise<TrainingJob[]> {
  let query = selectJobs({ db }).where('job.model_id', '=', page.modelId);
  if (page.after !== null) query = query.where('job.id', '>', page.after); // ids of version 7 sort by time
  return query.orderBy('job.id').limit(page.limit).execute();
}

/** @returns whether the job exists and is not over */
export async function startJob({ db }: Postgres, id: string): Promise<boolean> {
  const row = await db
    .updateTable('training_jobs')
    .set((set) => ({
      status: 'running',
      waiting_reason: null,
      started_at: set.fn.coalesce('started_at', set.fn<Date>('now')),
    }))
    .where('id', '=', id)
    .where('status', 'in', ['queued', 'running'])
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function setWaitingReason({ db }: Pick<Postgres, 'db'>, id: string, reason: string | null): Promise<void> {
  await db.updateTable('training_jobs').set({ waiting_reason: reason }).where('id', '=', id).execute();
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
    const step = await listCheckpoint(transaction, job, checkpoint);
    if (step === null) return null;
    await alsoStore({ db: transaction });
    await transaction
      .updateTable('training_jobs')
      .set({ checkpoint_id: checkpoint.id })
      .where('id', '=', job.id)
      .execute();
    await finish(transaction, job.id, 'ended', { type: 'training_ended', data: {} });
    return step;
  });
}

/**
 * Lists a checkpoint of a job that goes on, with its artifact.
 * @param alsoStore further rows that become visible with it
 * @returns the step of the checkpoint; null if the job was over or deleted, so that nothing was written
 */
export function addCheckpoint(
  { db }: Pick<Postgres, 'db'>,
  job: TrainingJob,
  checkpoint: NewCheckpoint,
  alsoStore: (postgres: Pick<Postgres, 'db'>) => Promise<void>,
): Promise<number | null> {
  return db.transaction().execute(async (transaction) => {
    const step = await listCheckpoint(transaction, job, checkpoint);
    if (step !== null) await alsoStore({ db: transaction });
    return step;
  });
}

/** Ends a job that has listed its checkpoints as it went on. @returns false if it was over or deleted */
export function completeJob({ db }: Pick<Postgres, 'db'>, id: string): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    if (!(await lockOpenJob(transaction, id))) return false;
    await finish(transaction, id, 'ended', { type: 'training_ended', data: {} });
    return true;
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

/** @returns the step; null if the job was over or deleted */
async function listCheckpoint(
  transaction: Transaction,
  job: TrainingJob,
  { id, metrics, sizeBytes, content }: NewCheckpoint,
): Promise<number | null> {
  // Before the job, as a deletion of the model does, so that they never deadlock.
  await transaction.selectFrom('trained_models').select('id').where('id', '=', job.modelId).forNoKeyUpdate().execute();
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
      id,
      model_id: job.modelId,
      step,
      kind: job.kind,
      metrics: JSON.stringify(metrics),
      size_bytes: sizeBytes,
    })
    .execute();
  await addCheckpointArtifact(
    { db: transaction },
    { id, step, modelId: job.modelId, createdBy: job.createdBy },
    content,
  );
  return step;
}

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
  await withdrawFailure({ db }, id);
  await insertEvent(db, id, event);
  await db.updateTable('training_jobs').set({ status, ended_at: new Date() }).where('id', '=', id).execute();
}

/**
 * Makes a notice of the event with which clients without a word for pauses were informed of one: the job goes on, and the last event
 * alone says how it ended.
 */
export async function withdrawFailure({ db }: Pick<Postgres, 'db'>, jobId: string): Promise<void> {
  await db
    .updateTable('training_events')
    .set({ type: 'notice', data: sql<string>`jsonb_build_object('message', data -> 'error_message')` })
    .where('job_id', '=', jobId)
    .where('type', '=', 'training_failed')
    .execute();
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
    .selectFrom('training_jobs as job')
    .leftJoin('fine_tuning_jobs as fine', 'fine.id', 'job.id')
    .select((select) => [
      'job.id',
      'job.model_id as modelId',
      'job.kind',
      'job.config',
      'job.metrics',
      'job.status',
      'job.created_by as createdBy',
      'job.created_at as createdAt',
      'job.started_at as startedAt',
      'job.ended_at as endedAt',
      select.fn.coalesce('job.paused_at', 'fine.paused_at').as('pausedAt'),
      select.fn.coalesce('job.paused_state', 'fine.paused_state').as('pausedState'),
      'job.paused_reason as pausedReason',
      'job.waiting_reason as waitingReason',
      'job.allows_suite_rows as allowsSuiteRows',
      'job.suite_check as suiteCheck',
      'job.suite_rows_found as suiteRowsFound',
      'job.starts_from as startsFrom',
    ]);
}
