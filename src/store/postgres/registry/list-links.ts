import { sql } from 'kysely';
import type { Postgres } from '../postgres.ts';

/** A version in a collection. */
export type RegistryLine = {
  entity: string;
  registry: string;
  collection: string;
  versionIndex: number;
  aliases: string[];
  /** The version's address. */
  ref: string;
  linkedAt: Date;
};

/** All versions of all collections, the newest of a collection first. */
export async function listLinks({ db }: Postgres): Promise<RegistryLine[]> {
  const { rows } = await sql<RegistryLine>`
    SELECT e.name AS entity, c.registry, c.name AS collection, v.version_index AS "versionIndex",
      ARRAY(
        SELECT a.alias FROM ${sql.table('registry_aliases')} a
        WHERE a.collection_id = v.collection_id AND a.version_index = v.version_index ORDER BY a.alias
      ) AS aliases,
      'weave:///' || o.name || '/' || p.name || '/object/' || v.object_id || ':' || v.digest AS ref,
      v.linked_at AS "linkedAt"
    FROM ${sql.table('registry_versions')} v
    JOIN ${sql.table('registry_collections')} c ON c.id = v.collection_id
    JOIN ${sql.table('entities')} e ON e.id = c.entity_id
    JOIN ${sql.table('projects')} p ON p.id = v.project_id
    JOIN ${sql.table('entities')} o ON o.id = p.entity_id
    ORDER BY e.name, c.registry, c.name, v.version_index DESC`.execute(db);
  return rows;
}
