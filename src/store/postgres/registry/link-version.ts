import { sql, type Transaction } from 'kysely';
import { newId } from '../../../contract/ids.ts';
import type { Postgres } from '../postgres.ts';
import type { Database } from '../schema.ts';

export type Link = {
  collection: { entityId: string; registry: string; name: string };
  version: { projectId: string; objectId: string; digest: string };
  userId: string;
  /** Aliases to move to this version. */
  aliases: string[];
};

/** Adds a version to a collection, which is created if it is missing. A version that is in it already keeps its index. */
export function linkVersion({ db }: Postgres, { collection, version, userId, aliases }: Link): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    const { id, versions } = await lockCollection(transaction, collection);
    const linked = await transaction
      .selectFrom('registry_versions')
      .select('version_index')
      .where('collection_id', '=', id)
      .where('project_id', '=', version.projectId)
      .where('object_id', '=', version.objectId)
      .where('digest', '=', version.digest)
      .executeTakeFirst();
    const index = linked?.version_index ?? versions;
    if (!linked) {
      const of = { project_id: version.projectId, object_id: version.objectId, digest: version.digest };
      const row = { collection_id: id, version_index: index, ...of, linked_by: userId };
      await transaction.insertInto('registry_versions').values(row).execute();
      await transaction
        .updateTable('registry_collections')
        .set({ versions: index + 1 })
        .where('id', '=', id)
        .execute();
    }
    if (aliases.length > 0) {
      const rows = [...new Set(aliases)].map((alias) => ({ collection_id: id, alias, version_index: index }));
      await transaction
        .insertInto('registry_aliases')
        .values(rows)
        .onConflict((on) => on.columns(['collection_id', 'alias']).doUpdateSet({ version_index: index }))
        .execute();
    }
    return index;
  });
}

/** Two links at the same time get different indexes: the second waits for the row. */
async function lockCollection(
  transaction: Transaction<Database>,
  { entityId, registry, name }: Link['collection'],
): Promise<{ id: string; versions: number }> {
  const { rows } = await sql<{ id: string; versions: number }>`
    INSERT INTO ${sql.table('registry_collections')} (id, entity_id, registry, name) VALUES (${newId()}, ${entityId}, ${registry}, ${name})
    ON CONFLICT (entity_id, registry, name) DO UPDATE SET name = excluded.name
    RETURNING id, versions`.execute(transaction);
  return rows[0]!;
}
