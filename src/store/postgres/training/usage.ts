import { sql } from 'kysely';
import { noUsage, type TrainingUsage, usageDay } from '../../../domain/training/usage.ts';
import type { Postgres } from '../postgres.ts';

type Db = Pick<Postgres, 'db'>;

/** Adds to what was used for a job on a day. */
export async function addUsage(
  { db }: Db,
  { jobId, projectId, at }: { jobId: string; projectId: string; at: Date },
  used: TrainingUsage,
): Promise<void> {
  const sum = (column: string) => sql<number>`training_usage.${sql.id(column)} + excluded.${sql.id(column)}`;
  await db
    .insertInto('training_usage')
    .values({
      ...{ job_id: jobId, project_id: projectId, day: usageDay(at) },
      ...{ seconds: used.seconds, optimizer_steps: used.optimizerSteps },
      ...{ forward_tokens: used.forwardTokens, trained_tokens: used.trainedTokens },
    })
    .onConflict((conflict) =>
      conflict.columns(['job_id', 'day']).doUpdateSet({
        seconds: sum('seconds'),
        forward_tokens: sum('forward_tokens'),
        trained_tokens: sum('trained_tokens'),
        optimizer_steps: sum('optimizer_steps'),
      }),
    )
    .execute();
}

/** What was used for each of some jobs, on all days. */
export async function usageOfJobs({ db }: Db, jobIds: string[]): Promise<Map<string, TrainingUsage>> {
  if (jobIds.length === 0) return new Map();
  const rows = await selectSums(db).select('job_id').where('job_id', 'in', jobIds).groupBy('job_id').execute();
  return new Map(rows.map(({ job_id, ...used }) => [job_id, used]));
}

/** What was used for all jobs of a project on a day, deleted ones included. */
export async function usageOfProject({ db }: Db, projectId: string, at: Date): Promise<TrainingUsage> {
  const day = sql<Date>`${usageDay(at)}::date`;
  const row = await selectSums(db).where('project_id', '=', projectId).where('day', '=', day).executeTakeFirst();
  return row ?? noUsage;
}

function selectSums(db: Db['db']) {
  const sum = (column: string) => sql<number>`coalesce(sum(${sql.id(column)}), 0)::float8`;
  return db
    .selectFrom('training_usage')
    .select([
      sum('seconds').as('seconds'),
      sum('forward_tokens').as('forwardTokens'),
      sum('trained_tokens').as('trainedTokens'),
      sum('optimizer_steps').as('optimizerSteps'),
    ]);
}
