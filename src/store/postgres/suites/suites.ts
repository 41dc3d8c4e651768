import type { Selectable } from 'kysely';
import type { ProjectId } from '../../../contract/ids.ts';
import type { Suite } from '../../../domain/suites/suite.ts';
import type { Postgres } from '../postgres.ts';
import type { Database } from '../schema.ts';

/** Adds a suite. @returns whether the project had none of this name */
export async function addSuite(
  { db }: Pick<Postgres, 'db'>,
  projectId: ProjectId,
  suite: Omit<Suite, 'scan'>,
): Promise<boolean> {
  const added = await db
    .insertInto('suites')
    .values({
      id: suite.id,
      project_id: projectId,
      name: suite.name,
      purpose: suite.purpose,
      dataset_ref: suite.datasetRef,
      table_project_id: suite.table.projectId,
      table_digest: suite.table.digest,
      row_count: suite.rowCount,
      thread_column: suite.threadColumn,
      alpha: suite.alpha,
      frozen_by: suite.frozenBy,
      frozen_at: suite.frozenAt,
    })
    .onConflict((on) => on.columns(['project_id', 'name']).doNothing())
    .executeTakeFirst();
  return added.numInsertedOrUpdatedRows === 1n;
}

/** The suites of a project, by name. */
export async function listSuites({ db }: Postgres, projectId: ProjectId): Promise<Suite[]> {
  const rows = await db.selectFrom('suites').selectAll().where('project_id', '=', projectId).orderBy('name').execute();
  return rows.map(suiteOf);
}

export async function findSuite({ db }: Postgres, projectId: ProjectId, name: string): Promise<Suite | null> {
  const row = await db
    .selectFrom('suites')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .executeTakeFirst();
  return row ? suiteOf(row) : null;
}

export async function findSuiteById(
  { db }: Postgres,
  id: string,
): Promise<{ suite: Suite; projectId: ProjectId } | null> {
  const row = await db.selectFrom('suites').selectAll().where('id', '=', id).executeTakeFirst();
  return row ? { suite: suiteOf(row), projectId: row.project_id as ProjectId } : null;
}

type ScanProgress = {
  scan_jobs?: number;
  scan_done?: number;
  scan_unread?: number;
  scan_ended_at?: Date;
  scan_error?: string | null;
};

/** Stores how far the comparison with earlier training is. @param fence see `assertHeld` of a job */
export function saveScan(
  { db }: Postgres,
  suiteId: string,
  progress: ScanProgress,
  fence: (db: Postgres['db']) => Promise<void>,
): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    await fence(transaction);
    await transaction.updateTable('suites').set(progress).where('id', '=', suiteId).execute();
  });
}

function suiteOf(row: Selectable<Database['suites']>): Suite {
  return {
    id: row.id,
    name: row.name,
    purpose: row.purpose,
    datasetRef: row.dataset_ref,
    table: { projectId: row.table_project_id as ProjectId, digest: row.table_digest },
    rowCount: row.row_count,
    threadColumn: row.thread_column,
    alpha: row.alpha,
    frozenBy: row.frozen_by,
    frozenAt: row.frozen_at,
    scan: {
      jobs: row.scan_jobs,
      done: row.scan_done ?? 0,
      unread: row.scan_unread ?? 0,
      endedAt: row.scan_ended_at,
      error: row.scan_error,
    },
  };
}
