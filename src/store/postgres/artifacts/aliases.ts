import type { Postgres } from '../postgres.ts';

/** Sets aliases to a version; they leave the version that had them. */
export async function setAliases(
  { db }: Pick<Postgres, 'db'>,
  { id, collectionId }: { id: string; collectionId: string },
  aliases: string[],
): Promise<void> {
  if (aliases.length === 0) return;
  // In a fixed order, so that two requests never deadlock.
  const rows = [...new Set(aliases)].sort().map((alias) => ({ collection_id: collectionId, alias, artifact_id: id }));
  await db
    .insertInto('artifact_aliases')
    .values(rows)
    .onConflict((on) =>
      on.columns(['collection_id', 'alias']).doUpdateSet((set) => ({ artifact_id: set.ref('excluded.artifact_id') })),
    )
    .execute();
}

/** Removes those of the aliases that the version has. */
export async function removeAliases({ db }: Pick<Postgres, 'db'>, id: string, aliases: string[]): Promise<void> {
  if (aliases.length === 0) return;
  await db.deleteFrom('artifact_aliases').where('artifact_id', '=', id).where('alias', 'in', aliases).execute();
}

/** The aliases of a collection's versions. */
export async function listAliases({ db }: Pick<Postgres, 'db'>, collectionId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('artifact_aliases')
    .select('alias')
    .where('collection_id', '=', collectionId)
    .orderBy('alias')
    .limit(aliasesMax)
    .execute();
  return rows.map(({ alias }) => alias);
}

const aliasesMax = 10_000;
