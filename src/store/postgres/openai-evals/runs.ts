import { sql } from 'kysely';
import type { ProjectId } from '../../../contract/ids.ts';
import type { OpenAIEvalRun, RunStatus } from '../../../domain/openai-evals/run.ts';
import type { RunObjects } from '../../../domain/openai-evals/run-objects.ts';
import { parsePlain } from '../../../util/json/parse.ts';
import type { Postgres } from '../postgres.ts';
import type { EvalKey } from './evals.ts';
import type { Page } from './page.ts';

type NewRun = Omit<OpenAIEvalRun, 'createdAt' | 'objects'> & { createdAt?: Date };

/** @returns false if there is a run of this id already, which stays as it is */
export async function createRun({ db }: Pick<Postgres, 'db'>, projectId: ProjectId, run: NewRun): Promise<boolean> {
  const row = await db
    .insertInto('openai_eval_runs')
    .values({
      project_id: projectId,
      id: run.id,
      eval_id: run.evalId,
      call_id: run.callId,
      name: run.name,
      data_source: JSON.stringify(run.dataSource),
      model: run.model,
      metadata: JSON.stringify(run.metadata),
      status: run.status,
      error: run.error && JSON.stringify(run.error),
      results: JSON.stringify(run.results),
      created_by: run.createdBy,
      ...(run.createdAt ? { created_at: run.createdAt } : {}),
    })
    .onConflict((on) => on.columns(['project_id', 'id']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** A run of an eval. */
export async function findRun(
  { db }: Postgres,
  { projectId, evalId, id }: { projectId: ProjectId; evalId: string; id: string },
): Promise<OpenAIEvalRun | null> {
  const row = await selectRuns({ db })
    .where('project_id', '=', projectId)
    .where('eval_id', '=', evalId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ? fromRow(row) : null;
}

export async function findRunOfCall({ db }: Postgres, callId: string): Promise<OpenAIEvalRun | null> {
  const row = await selectRuns({ db }).where('call_id', '=', callId).executeTakeFirst();
  return row ? fromRow(row) : null;
}

/** An unknown `after` lists nothing. */
export async function listRuns(
  { db }: Postgres,
  { projectId, id: evalId }: EvalKey,
  { after, limit, order, status }: Page & { status: RunStatus | null },
): Promise<OpenAIEvalRun[]> {
  let query = selectRuns({ db }).where('project_id', '=', projectId).where('eval_id', '=', evalId);
  if (status !== null) query = query.where('status', '=', status);
  if (after !== null) {
    const compared = sql.raw(order === 'asc' ? '>' : '<');
    query = query.where(
      sql<boolean>`(created_at, id) ${compared}
        (SELECT created_at, id FROM ${sql.table('openai_eval_runs')} WHERE project_id = ${projectId} AND id = ${after})`,
    );
  }
  const rows = await query.orderBy('created_at', order).orderBy('id', order).limit(limit).execute();
  return rows.map(fromRow);
}

/** Changes a run that has not ended. @returns whether there is one */
export async function updateOpenRun(
  { db }: Pick<Postgres, 'db'>,
  callId: string,
  changes: Partial<Pick<OpenAIEvalRun, 'status' | 'error' | 'results' | 'objects'>>,
): Promise<boolean> {
  const { status, error, results, objects } = changes;
  const row = await db
    .updateTable('openai_eval_runs')
    .set({
      ...(status ? { status } : {}),
      ...(error ? { error: JSON.stringify(error) } : {}),
      ...(results ? { results: JSON.stringify(results) } : {}),
      ...(objects ? { objects: JSON.stringify(objects) } : {}),
    })
    .where('call_id', '=', callId)
    .where('status', 'in', ['queued', 'in_progress'])
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** @returns false if the run has some already, or does not exist */
export async function addRunObjects({ db }: Postgres, callId: string, objects: RunObjects): Promise<boolean> {
  const row = await db
    .updateTable('openai_eval_runs')
    .set({ objects: JSON.stringify(objects) })
    .where('call_id', '=', callId)
    .where('objects', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteRun({ db }: Postgres, callId: string): Promise<void> {
  await db.deleteFrom('openai_eval_runs').where('call_id', '=', callId).execute();
}

function selectRuns({ db }: Pick<Postgres, 'db'>) {
  return db.selectFrom('openai_eval_runs').selectAll();
}

type Row = Awaited<ReturnType<ReturnType<typeof selectRuns>['executeTakeFirstOrThrow']>>;

function fromRow(row: Row): OpenAIEvalRun {
  return {
    id: row.id,
    evalId: row.eval_id,
    callId: row.call_id,
    name: row.name,
    dataSource: parsePlain(row.data_source),
    model: row.model,
    metadata: parsePlain(row.metadata),
    status: row.status,
    error: row.error === null ? null : parsePlain(row.error),
    results: parsePlain(row.results),
    objects: row.objects === null ? null : parsePlain(row.objects),
    createdBy: row.created_by,
    createdAt: row.created_at,
  };
}
