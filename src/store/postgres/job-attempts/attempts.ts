import { type Kysely, sql, type Transaction } from 'kysely';
import type { Database } from '../schema.ts';

type Db = Kysely<Database>;

/** A job of a kind. Ids are unique within a kind. */
export type JobKey = { kind: string; job: string };
/** A process that runs a job: `attempt` grows with each process that takes the job. */
export type Attempt = JobKey & { process: string; attempt: number };
export type Progress = { done: number; total: number };

/** Times are PostgreSQL's alone. */
const now = sql<Date>`clock_timestamp()`;
const after = (ms: number) => sql<Date>`clock_timestamp() + ${ms} * interval '1 millisecond'`;

/** Lets processes take jobs of a kind one after another, until the transaction ends. */
export async function lockKind(transaction: Transaction<Database>, schemaOfJobs: string, kind: string): Promise<void> {
  await sql`SELECT FROM ${sql.id(schemaOfJobs, 'queue')} WHERE name = ${kind} FOR NO KEY UPDATE`.execute(transaction);
}

/** The projects that run as many jobs of a kind as they may, wherever these run. */
export async function busyProjects(db: Db, kind: string, runningMax: number): Promise<string[]> {
  const rows = await db
    .selectFrom('job_attempts')
    .select('project')
    .where('kind', '=', kind)
    .where('process', '!=', '')
    .where('is_counted', '=', true)
    .where('expires_at', '>', now)
    .groupBy('project')
    .having(({ fn }) => fn.countAll(), '>=', runningMax)
    .execute();
  return rows.map(({ project }) => project);
}

/** Takes a job to run it. @returns its attempt; null if the job is being canceled, or another process has it */
export async function takeJob(
  db: Db,
  { kind, job }: JobKey,
  { project, process, ms }: { project: string; process: string; ms: number },
): Promise<number | null> {
  const taken = { project, process, expires_at: after(ms), is_counted: true, done: null, total: null };
  const row = await db
    .insertInto('job_attempts')
    .values({ kind, job, attempt: 1, ...taken })
    .onConflict((conflict) =>
      conflict
        .columns(['kind', 'job'])
        .doUpdateSet({ ...taken, attempt: sql<number>`job_attempts.attempt + 1` })
        .where('job_attempts.expires_at', '<=', now)
        .where('job_attempts.canceled_at', 'is', null),
    )
    .returning('attempt')
    .executeTakeFirst();
  return row?.attempt ?? null;
}

/**
 * Whether an attempt is still the newest one of its job. No other process can take the job until the transaction ends; a
 * renewal is not held up.
 */
export async function isNewest(db: Db, { kind, job, process, attempt }: Attempt): Promise<boolean> {
  const row = await db
    .selectFrom('job_attempts')
    .select('attempt')
    .where('kind', '=', kind)
    .where('job', '=', job)
    .where('process', '=', process)
    .where('attempt', '=', attempt)
    .forKeyShare()
    .executeTakeFirst();
  return row !== undefined;
}

/** Locks the row of a job. @param how what to do while others have locked it. @returns null if there is none, or it is passed over */
export async function lockJob(transaction: Transaction<Database>, { kind, job }: JobKey, how: 'waits' | 'skips') {
  const query = transaction
    .selectFrom('job_attempts')
    .select(['process', 'attempt'])
    .select(({ eb }) => [eb('expires_at', '<=', now).as('isOver'), eb('canceled_at', 'is not', null).as('isCanceled')])
    .where('kind', '=', kind)
    .where('job', '=', job)
    .forUpdate(); // unlike an update, not while others have made sure that theirs is the newest attempt
  return (await (how === 'waits' ? query : query.skipLocked()).executeTakeFirst()) ?? null;
}

/** Gives a job that is locked to a process: what earlier ones write is rejected from now on. @returns its attempt */
export async function giveJob(
  transaction: Transaction<Database>,
  { kind, job }: JobKey,
  { process, ms }: { process: string; ms: number },
): Promise<number> {
  const { attempt } = await transaction
    .updateTable('job_attempts')
    .set({
      process,
      attempt: sql<number>`attempt + 1`,
      expires_at: after(ms),
      is_counted: true,
      done: null,
      total: null,
    })
    .where('kind', '=', kind)
    .where('job', '=', job)
    .returning('attempt')
    .executeTakeFirstOrThrow();
  return attempt;
}

/** Leaves a job to whoever takes it next. @param isKept whether its cancellation is still asked for */
export async function leaveJob(db: Db, { kind, job, process, attempt }: Attempt, isKept: boolean): Promise<void> {
  await db
    .updateTable('job_attempts')
    .set({ process: '', expires_at: now, done: null, total: null, ...(isKept ? {} : { canceled_at: null }) })
    .where('kind', '=', kind)
    .where('job', '=', job)
    .where('process', '=', process)
    .where('attempt', '=', attempt)
    .execute();
}

/** Leaves a job to a process that waits in order to cancel it, for some time to that one alone. */
export async function leaveToCanceler(db: Db, { kind, job, process, attempt }: Attempt, ms: number): Promise<void> {
  await db
    .updateTable('job_attempts')
    .set({ process: '', expires_at: after(ms) })
    .where('kind', '=', kind)
    .where('job', '=', job)
    .where('process', '=', process)
    .where('attempt', '=', attempt)
    .execute();
}

export async function forgetJob(db: Db, { kind, job }: JobKey): Promise<void> {
  await db.deleteFrom('job_attempts').where('kind', '=', kind).where('job', '=', job).execute();
}

/**
 * Forgets the attempts of all processes, by one that has the jobs to itself, and cancellations of jobs that have ended.
 * Jobs that are to be canceled keep their rows.
 */
export async function forgetAll(db: Db, schemaOfJobs: string): Promise<void> {
  await sql`
    DELETE FROM ${sql.table('job_attempts')} AS held WHERE canceled_at IS NULL OR NOT EXISTS (
      SELECT FROM ${sql.id(schemaOfJobs, 'job')} WHERE name = held.kind AND id = held.job AND state <= 'active')`.execute(
    db,
  );
}

/** What a process says of a job that it runs. */
export type Renewed = JobKey & { attempt: number; isCounted: boolean; progress: Progress | null };

/** Renews the attempts of a process. @returns those that are still its own, and whether their cancellation was asked for */
export async function renewAttempts(
  db: Db,
  process: string,
  ms: number,
  attempts: Renewed[],
): Promise<(JobKey & { attempt: number; isCanceled: boolean })[]> {
  const { rows } = await sql<JobKey & { attempt: number; isCanceled: boolean }>`
    UPDATE ${sql.table('job_attempts')} AS held
    SET expires_at = ${after(ms)}, is_counted = own.counted, done = own.done, total = own.total
    FROM unnest(${attempts.map(({ kind }) => kind)}::text[], ${attempts.map(({ job }) => job)}::uuid[],
      ${attempts.map(({ attempt }) => attempt)}::bigint[], ${attempts.map(({ isCounted }) => isCounted)}::boolean[],
      ${attempts.map(({ progress }) => progress?.done ?? null)}::integer[],
      ${attempts.map(({ progress }) => progress?.total ?? null)}::integer[]) AS own (kind, job, attempt, counted, done, total)
    WHERE held.kind = own.kind AND held.job = own.job AND held.attempt = own.attempt AND held.process = ${process}
    RETURNING held.kind, held.job, held.attempt, held.canceled_at IS NOT NULL AS "isCanceled"`.execute(db);
  return rows;
}

export async function findProgress(db: Db, { kind, job }: JobKey): Promise<Progress | null> {
  const row = await db
    .selectFrom('job_attempts')
    .select(['done', 'total'])
    .where('kind', '=', kind)
    .where('job', '=', job)
    .executeTakeFirst();
  return row && row.done !== null && row.total !== null ? { done: row.done, total: row.total } : null;
}
