import { type SqlBool, sql } from 'kysely';
import { parseVersionWord } from '../../../domain/objects/version-word.ts';
import type { Postgres } from '../postgres.ts';
import { type ObjectVersion, versionsOf } from './version.ts';

/**
 * The version that a word stands for: `v3`, a digest, or an alias, and for `latest` the newest deleted one where no
 * version lives. Where an op and an object of one name both match, the one that was first.
 */
export async function findVersion(
  postgres: Postgres,
  key: { projectId: string; objectId: string },
  word: string,
): Promise<ObjectVersion | null> {
  const found = await versionsOf(postgres.db, key.projectId)
    .where('v.object_id', '=', key.objectId)
    .where(matches(word))
    .orderBy(sql`v.deleted_at IS NOT NULL`)
    .orderBy('v.first_created_at')
    .limit(1)
    .executeTakeFirst();
  return found ?? (word === 'latest' ? newestVersion(postgres, key) : null);
}

function matches(text: string) {
  const word = parseVersionWord(text);
  switch (word.kind) {
    case 'index':
      return sql<SqlBool>`v.version_index::float8 = ${word.index}::float8`; // any number may be asked for
    case 'digest':
      return sql<SqlBool>`v.digest = ${word.digest}`;
    case 'name':
      return sql<SqlBool>`v.digest = (
        SELECT digest FROM object_aliases
        WHERE project_id = v.project_id AND object_id = v.object_id AND alias = ${word.name})`;
    default:
      return word satisfies never;
  }
}

async function newestVersion(postgres: Postgres, { projectId, objectId }: { projectId: string; objectId: string }) {
  const newest = await versionsOf(postgres.db, projectId)
    .where('v.object_id', '=', objectId)
    .orderBy('v.first_created_at', 'desc')
    .orderBy('v.version_index', 'desc')
    .limit(1)
    .executeTakeFirst();
  return newest ?? null;
}
