import { newId } from '../../../contract/ids.ts';
import type { Postgres } from '../postgres.ts';
import type { SecretScope } from './secret-scope.ts';

/** Stores a secret, replacing the value and the hosts of one with the same name. */
export async function saveSecret(
  { db }: Postgres,
  { entityId, projectId }: SecretScope,
  secret: { name: string; sealed: string; hosts: string[] },
): Promise<void> {
  const { name, sealed, hosts } = secret;
  const row = { id: newId(), entity_id: entityId, project_id: projectId, name, sealed, hosts, updated_at: new Date() };
  await db
    .insertInto('secrets')
    .values(row)
    .onConflict((on) =>
      on.columns(['entity_id', 'project_id', 'name']).doUpdateSet({ sealed, hosts, updated_at: row.updated_at }),
    )
    .execute();
}

/** @returns whether there was one */
export async function removeSecret({ db }: Postgres, { entityId, projectId }: SecretScope, name: string) {
  const { numDeletedRows } = await db
    .deleteFrom('secrets')
    .where('entity_id', '=', entityId)
    .where('project_id', projectId === null ? 'is' : '=', projectId)
    .where('name', '=', name)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
