import { sql } from 'kysely';
import type { Postgres } from '../postgres.ts';

/**
 * Every alias of a project's versions, sorted. Deleting a version deletes its labels, so all of them refer to live
 * versions.
 */
export async function listAliases({ db }: Postgres, projectId: string): Promise<string[]> {
  const { rows } = await sql<{ alias: string }>`
    SELECT alias FROM (SELECT DISTINCT alias FROM ${sql.table('object_aliases')} WHERE project_id = ${projectId}) AS known
    ORDER BY alias`.execute(db);
  return rows.map((row) => row.alias);
}

/** The same for tags. */
export async function listTags({ db }: Postgres, projectId: string): Promise<string[]> {
  const { rows } = await sql<{ tag: string }>`
    SELECT tag FROM (SELECT DISTINCT tag FROM ${sql.table('object_tags')} WHERE project_id = ${projectId}) AS known
    ORDER BY tag`.execute(db);
  return rows.map((row) => row.tag);
}
