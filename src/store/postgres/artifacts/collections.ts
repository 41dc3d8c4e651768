import { newId, type ProjectId } from '../../../contract/ids.ts';
import type { Postgres } from '../postgres.ts';

export type Collection = {
  id: string;
  projectId: ProjectId;
  name: string;
  type: string;
  /** The number of versions ever committed. */
  versions: number;
  createdAt: Date;
};

type Database = Pick<Postgres, 'db'>;

/** The collection of a name, which is created with this type if there is none. */
export async function ensureCollection(
  { db }: Database,
  { projectId, name, type }: Pick<Collection, 'projectId' | 'name' | 'type'>,
): Promise<Collection> {
  const before = await findCollection({ db }, { projectId, name });
  if (before) return before;
  await db
    .insertInto('artifact_collections')
    .values({ id: newId(), project_id: projectId, name, type })
    .onConflict((on) => on.columns(['project_id', 'name']).doNothing())
    .execute();
  return (await findCollection({ db }, { projectId, name }))!;
}

export async function findCollection(
  postgres: Database,
  where: { id: string } | { projectId: ProjectId; name: string },
): Promise<Collection | null> {
  const query =
    'id' in where
      ? selectCollections(postgres).where('id', '=', where.id)
      : selectCollections(postgres).where('project_id', '=', where.projectId).where('name', '=', where.name);
  return (await query.executeTakeFirst()) ?? null;
}

/** The collections of a project with at least one version, by name. */
export async function listCollections(
  postgres: Database,
  page: { projectId: ProjectId; type: string | null; afterName: string | null; limit: number },
): Promise<Collection[]> {
  let query = selectCollections(postgres)
    .where('project_id', '=', page.projectId)
    .where((where) =>
      where.exists(
        where
          .selectFrom('artifacts')
          .select('artifacts.id')
          .whereRef('artifacts.collection_id', '=', 'artifact_collections.id')
          .where('artifacts.state', '=', 'committed'),
      ),
    );
  if (page.type !== null) query = query.where('type', '=', page.type);
  if (page.afterName !== null) query = query.where('name', '>', page.afterName);
  return query.orderBy('name').limit(page.limit).execute();
}

/** The types of a project's artifacts, by name. */
export async function listTypes({ db }: Database, projectId: ProjectId): Promise<{ name: string; createdAt: Date }[]> {
  return db
    .selectFrom('artifact_collections')
    .select(['type as name'])
    .select(({ fn }) => fn.min<Date>('created_at').as('createdAt'))
    .where('project_id', '=', projectId)
    .groupBy('type')
    .orderBy('type')
    .execute();
}

function selectCollections({ db }: Database) {
  return db
    .selectFrom('artifact_collections')
    .select((select) => [
      'id',
      select.ref('project_id').$castTo<ProjectId>().as('projectId'),
      'name',
      'type',
      'versions',
      'created_at as createdAt',
    ]);
}
