import type { Insertable } from 'kysely';
import type { Postgres } from '../postgres.ts';
import type { Database } from '../schema.ts';

/** Records a model, replacing one with the same name, and returns the id of the replaced one. */
export function saveModel(postgres: Postgres, row: Insertable<Database['models']>): Promise<string | null> {
  return postgres.db.transaction().execute(async (transaction) => {
    const replaced = await transaction
      .deleteFrom('models')
      .where('name', '=', row.name)
      .returning('id')
      .executeTakeFirst();
    await transaction.insertInto('models').values(row).execute();
    return replaced?.id ?? null;
  });
}

export async function deleteModel(postgres: Postgres, id: string): Promise<void> {
  await postgres.db.deleteFrom('models').where('id', '=', id).execute();
}
