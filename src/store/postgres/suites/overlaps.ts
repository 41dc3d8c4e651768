import type { Overlap, Overlaps } from '../../../domain/suites/overlap.ts';
import type { SuiteCheck } from '../../../domain/training/job.ts';
import type { Postgres } from '../postgres.ts';

/** PostgreSQL takes 65,535 parameters in a statement. */
const rowsTogether = 5000;

/** Stores which rows of suites the data of a job matches. Those that are stored already do not change. */
export async function addOverlaps(
  { db }: Pick<Postgres, 'db'>,
  jobId: string,
  overlaps: readonly Overlap[],
): Promise<void> {
  for (let from = 0; from < overlaps.length; from += rowsTogether) {
    const rows = overlaps.slice(from, from + rowsTogether).map((each) => ({
      suite_id: each.suiteId,
      job_id: jobId,
      row_index: each.rowIndex,
      kind: each.kind,
      similarity: each.similarity,
      line: each.line,
      call_id: each.callId,
    }));
    await db
      .insertInto('suite_overlaps')
      .values(rows)
      .onConflict((on) => on.columns(['suite_id', 'job_id', 'row_index']).doNothing())
      .execute();
  }
}

/** Stores how the data of a job compared with the suites of its project. @param fence see `assertHeld` of a job */
export function saveSuiteCheck(
  { db }: Postgres,
  jobId: string,
  { rows, overlaps }: Overlaps,
  check: SuiteCheck,
  fence: (db: Postgres['db']) => Promise<void>,
): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    await fence(transaction);
    await addOverlaps({ db: transaction }, jobId, overlaps);
    await transaction
      .updateTable('training_jobs')
      .set({ suite_check: check, suite_rows_found: rows })
      .where('id', '=', jobId)
      .execute();
  });
}

/** The rows of suites that a job's data matches, at most `limit`, in the order of its lines. */
export function overlapsOfJob({ db }: Postgres, jobId: string, limit: number): Promise<Overlap[]> {
  return db
    .selectFrom('suite_overlaps as overlap')
    .innerJoin('suites as suite', 'suite.id', 'overlap.suite_id')
    .select([
      'overlap.suite_id as suiteId',
      'suite.name as suiteName',
      'overlap.row_index as rowIndex',
      'overlap.kind',
      'overlap.similarity',
      'overlap.line',
      'overlap.call_id as callId',
    ])
    .where('overlap.job_id', '=', jobId)
    .orderBy('overlap.line')
    .orderBy('overlap.row_index')
    .orderBy('overlap.suite_id')
    .limit(limit)
    .execute();
}

/** A row of a suite that a model was trained on, as a copy or a sibling. */
export type TrainedOverlap = Omit<Overlap, 'suiteId' | 'suiteName'> & { jobId: string; model: string };

/** Those of a suite, at most `limit`, without jobs that were refused. */
export function overlapsOfSuite({ db }: Postgres, suiteId: string, limit: number): Promise<TrainedOverlap[]> {
  return trainedOn({ db }, suiteId)
    .innerJoin('trained_models as model', 'model.id', 'job.model_id')
    .select([
      'overlap.job_id as jobId',
      'model.name as model',
      'overlap.row_index as rowIndex',
      'overlap.kind',
      'overlap.similarity',
      'overlap.line',
      'overlap.call_id as callId',
    ])
    .orderBy('overlap.row_index')
    .orderBy('overlap.job_id')
    .limit(limit)
    .execute();
}

/** How many rows of suites have been trained on. */
export async function countOverlaps({ db }: Postgres, suiteId: string): Promise<number> {
  const { count } = await trainedOn({ db }, suiteId)
    .select((select) => select.fn.count<number>('overlap.row_index').distinct().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

function trainedOn({ db }: Pick<Postgres, 'db'>, suiteId: string) {
  return db
    .selectFrom('suite_overlaps as overlap')
    .innerJoin('training_jobs as job', 'job.id', 'overlap.job_id')
    .where('overlap.suite_id', '=', suiteId)
    .where((where) => where.or([where('job.suite_check', 'is', null), where('job.suite_check', '!=', 'refused')]));
}

/** The rows of a suite that the data of any of these jobs matches, in order. */
export async function rowsTrainedBy({ db }: Postgres, suiteId: string, jobIds: string[]): Promise<number[]> {
  if (jobIds.length === 0) return [];
  const rows = await db
    .selectFrom('suite_overlaps')
    .select('row_index')
    .distinct()
    .where('suite_id', '=', suiteId)
    .where('job_id', 'in', jobIds)
    .orderBy('row_index')
    .execute();
  return rows.map((row) => row.row_index);
}
