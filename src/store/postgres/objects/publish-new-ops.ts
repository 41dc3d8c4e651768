import { sql } from 'kysely';
import type { Postgres } from '../postgres.ts';

/**
 * Publishes one value as the first version of many ops, in one transaction. Existing names are left unchanged.
 * @see publishVersion for one version of any name
 */
export async function publishNewOps(
  postgres: Postgres,
  {
    projectId,
    objectIds,
    digest,
    sizeBytes,
    userId,
  }: { projectId: string; objectIds: readonly string[]; digest: string; sizeBytes: number; userId: string },
): Promise<void> {
  await postgres.db.transaction().execute(async (transaction) => {
    // In a fixed order, so that two requests never deadlock.
    const { rows } = await sql<{ object_id: string }>`
      INSERT INTO ${sql.table('object_names')} (project_id, kind, object_id, versions)
      SELECT ${projectId}, 'op', unnest(${objectIds.toSorted()}::text[]), 1
      ON CONFLICT DO NOTHING
      RETURNING object_id`.execute(transaction);
    const made = rows.map((row) => row.object_id);
    if (made.length === 0) return;
    await sql`
      INSERT INTO ${sql.table('object_versions')}
        (project_id, kind, object_id, digest, version_index, size_bytes, wb_user_id, first_created_at, created_at)
      SELECT ${projectId}, 'op', unnest(${made}::text[]), ${digest}, 0, ${sizeBytes}, ${userId},
        clock_timestamp(), clock_timestamp()`.execute(transaction);
    await sql`
      INSERT INTO ${sql.table('object_aliases')} (project_id, object_id, alias, digest)
      SELECT ${projectId}, unnest(${made}::text[]), 'latest', ${digest}
      ON CONFLICT (project_id, object_id, alias) DO UPDATE SET digest = EXCLUDED.digest`.execute(transaction);
  });
}
