import { type Insertable, sql } from 'kysely';
import type { Postgres } from '../postgres.ts';
import type { Database } from '../schema.ts';

/** Records a model, replacing one with the same name, and returns the id of the replaced one. */
export function saveModel(postgres: Postgres, row: Insertable<Database['models']>): Promise<string | null> {
  return postgres.db.transaction().execute(async (transaction) => {
    // Of two new models with one name, neither would see the other. Models are rarely saved.
    await sql`LOCK TABLE ${sql.table('models')} IN SHARE ROW EXCLUSIVE MODE`.execute(transaction);
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
