import { type Selectable, sql } from 'kysely';
import type { Postgres } from '../postgres.ts';
import type { Database } from '../schema.ts';

type Row = Selectable<Database['models']>;

/** All models that were pulled, by name. */
export function listModels(postgres: Postgres): Promise<Row[]> {
  return postgres.db.selectFrom('models').selectAll().orderBy('name').execute();
}

export function findModel(postgres: Postgres, name: string): Promise<Row | undefined> {
  return postgres.db.selectFrom('models').selectAll().where('name', '=', name).executeTakeFirst();
}

export function findModelById(postgres: Postgres, id: string): Promise<Row | undefined> {
  return postgres.db.selectFrom('models').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Models whose name is this one with `-` in place of the slash. */
export function findModelsWithoutSlash(postgres: Postgres, name: string): Promise<Row[]> {
  return postgres.db
    .selectFrom('models')
    .selectAll()
    .where('name', 'like', '%/%')
    .where(sql`replace(name, '/', '-')`, '=', name)
    .orderBy('name')
    .execute();
}
