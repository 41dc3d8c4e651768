import { notFound } from '../../../util/failures.ts';
import type { Postgres } from '../postgres.ts';

/** Where a secret applies: in one project, or in all projects of an entity, where `projectId` is null. */
export type SecretScope = { entityId: string; projectId: string | null };

/** @throws Failure where there is no such entity or project */
export async function findScope({ db }: Postgres, entity: string, project: string | null): Promise<SecretScope> {
  const found = await db.selectFrom('entities').select('id').where('name', '=', entity).executeTakeFirst();
  if (!found) throw notFound(`There is no entity ${entity}. \`heddle users list\` lists them.`);
  if (project === null) return { entityId: found.id, projectId: null };
  const row = await db
    .selectFrom('projects')
    .select('id')
    .where('entity_id', '=', found.id)
    .where('name', '=', project)
    .executeTakeFirst();
  if (!row)
    throw notFound(`There is no project ${entity}/${project}. A project exists once something is written to it.`);
  return { entityId: found.id, projectId: row.id };
}
