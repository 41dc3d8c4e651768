import { sql } from 'kysely';
import type { ProjectId } from '../../../contract/ids.ts';
import type { OpenAIEval } from '../../../domain/openai-evals/eval.ts';
import { parsePlain } from '../../../util/json/parse.ts';
import type { Postgres } from '../postgres.ts';
import type { Page } from './page.ts';

export type EvalKey = { projectId: ProjectId; id: string };
type NewEval = Omit<OpenAIEval, 'createdAt' | 'updatedAt'> & { createdAt?: Date };

/** @returns false if there is an eval of this id already, which stays as it is */
export async function createEval({ db }: Postgres, projectId: ProjectId, created: NewEval): Promise<boolean> {
  const { id, name, dataSourceConfig, criteria, metadata, createdAt } = created;
  const row = await db
    .insertInto('openai_evals')
    .values({
      project_id: projectId,
      id,
      name,
      data_source_config: JSON.stringify(dataSourceConfig),
      testing_criteria: JSON.stringify(criteria),
      metadata: JSON.stringify(metadata),
      ...(createdAt ? { created_at: createdAt, updated_at: createdAt } : {}),
    })
    .onConflict((on) => on.columns(['project_id', 'id']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function findEval({ db }: Postgres, { projectId, id }: EvalKey): Promise<OpenAIEval | null> {
  const row = await selectEvals({ db }, projectId).where('id', '=', id).executeTakeFirst();
  return row ? fromRow(row) : null;
}

/** An unknown `after` lists nothing. */
export async function listEvals(
  { db }: Postgres,
  { projectId, after, limit, order, orderBy }: Page & { projectId: ProjectId; orderBy: 'created_at' | 'updated_at' },
): Promise<OpenAIEval[]> {
  let query = selectEvals({ db }, projectId);
  if (after !== null) {
    const compared = sql.raw(order === 'asc' ? '>' : '<');
    const column = sql.ref(orderBy);
    query = query.where(
      sql<boolean>`(${column}, id) ${compared}
        (SELECT ${column}, id FROM ${sql.table('openai_evals')} WHERE project_id = ${projectId} AND id = ${after})`,
    );
  }
  const rows = await query.orderBy(orderBy, order).orderBy('id', order).limit(limit).execute();
  return rows.map(fromRow);
}

/** @returns whether there is such an eval */
export async function updateEval(
  { db }: Postgres,
  { projectId, id }: EvalKey,
  changes: { name: string | null; metadata: Record<string, string> | null },
): Promise<boolean> {
  const row = await db
    .updateTable('openai_evals')
    .set({
      ...(changes.name === null ? {} : { name: changes.name }),
      ...(changes.metadata === null ? {} : { metadata: JSON.stringify(changes.metadata) }),
      updated_at: new Date(),
    })
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes an eval with its runs. */
export async function deleteEval({ db }: Postgres, { projectId, id }: EvalKey): Promise<void> {
  await db.deleteFrom('openai_evals').where('project_id', '=', projectId).where('id', '=', id).execute();
}

function selectEvals({ db }: Pick<Postgres, 'db'>, projectId: ProjectId) {
  return db.selectFrom('openai_evals').selectAll().where('project_id', '=', projectId);
}

type Row = Awaited<ReturnType<ReturnType<typeof selectEvals>['executeTakeFirstOrThrow']>>;

function fromRow(row: Row): OpenAIEval {
  return {
    id: row.id,
    name: row.name,
    dataSourceConfig: parsePlain(row.data_source_config),
    criteria: parsePlain(row.testing_criteria),
    metadata: parsePlain(row.metadata),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
