import { type Kysely, sql } from 'kysely';
import type { Database } from '../schema.ts';
import type { JobKey } from './attempts.ts';

type Db = Kysely<Database>;

/** Of these kinds, those with jobs that are due. */
export async function dueKinds(db: Db, schemaOfJobs: string, kinds: string[]): Promise<string[]> {
  const { rows } = await sql<{ kind: string }>`
    SELECT kind FROM unnest(${kinds}::text[]) AS asked (kind) WHERE EXISTS (
      SELECT FROM ${sql.id(schemaOfJobs, 'job')}
      WHERE name = kind AND state < 'active' AND NOT blocked AND start_after <= clock_timestamp())`.execute(db);
  return rows.map(({ kind }) => kind);
}

/** Jobs that no process runs any more though they have not ended, or whose cancellation nobody has completed. */
export async function abandonedJobs(
  db: Db,
  schemaOfJobs: string,
  kinds: string[],
): Promise<(JobKey & { isCanceled: boolean })[]> {
  const { rows } = await sql<JobKey & { isCanceled: boolean }>`
    SELECT held.kind, held.job, held.canceled_at IS NOT NULL AS "isCanceled"
    FROM ${sql.table('job_attempts')} AS held
    JOIN ${sql.id(schemaOfJobs, 'job')} AS job ON job.name = held.kind AND job.id = held.job
    WHERE held.kind = ANY(${kinds}::text[]) AND held.expires_at <= clock_timestamp()
      AND (job.state = 'active' OR held.canceled_at IS NOT NULL AND job.state < 'active')`.execute(db);
  return rows;
}

/** Lists running jobs without a row as abandoned: they are of a process that had the jobs to itself. */
export async function listUnknown(db: Db, schemaOfJobs: string, kind: string): Promise<void> {
  await sql`
    INSERT INTO ${sql.table('job_attempts')} (kind, job, project, process, attempt, expires_at)
    SELECT name, id, group_id, '', 0, clock_timestamp() FROM ${sql.id(schemaOfJobs, 'job')}
    WHERE name = ${kind} AND state = 'active'
    ON CONFLICT (kind, job) DO NOTHING`.execute(db);
}

/** The jobs of a kind whose cancellation nobody has completed, once `forgetAll` has removed the other rows. */
export async function jobsToCancel(db: Db, kind: string): Promise<string[]> {
  const rows = await db.selectFrom('job_attempts').select('job').where('kind', '=', kind).execute();
  return rows.map(({ job }) => job);
}

/**
 * Asks for the cancellation of a job: from now on, no process starts it. A job that no process has is left for some time to the
 * one that asks.
 * @returns false if the job has ended, or does not exist
 */
export async function askToCancel(db: Db, schemaOfJobs: string, { kind, job }: JobKey, ms: number): Promise<boolean> {
  const { rows } = await sql`
    INSERT INTO ${sql.table('job_attempts')} AS held (kind, job, project, process, attempt, expires_at, canceled_at)
    SELECT name, id, group_id, '', 0, clock_timestamp() + ${ms} * interval '1 millisecond', clock_timestamp()
    FROM ${sql.id(schemaOfJobs, 'job')} WHERE name = ${kind} AND id = ${job}::uuid AND state <= 'active'
    ON CONFLICT (kind, job) DO UPDATE SET canceled_at = excluded.canceled_at,
      expires_at = CASE WHEN held.process = '' THEN excluded.expires_at ELSE held.expires_at END
    RETURNING held.job`.execute(db);
  return rows.length > 0;
}
