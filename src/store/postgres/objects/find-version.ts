import { type SqlBool, sql } from 'kysely';
import { parseVersionWord } from '../../../domain/objects/version-word.ts';
import type { Postgres } from '../postgres.ts';
import type { ObjectKind } from '../schema.ts';
import { type ObjectVersion, versionsOf } from './version.ts';

/** A name, and the kind of its version if known: an op and an object may share a name. */
export type SoughtName = { projectId: string; objectId: string; kind?: ObjectKind };

/**
 * The version for `v3`, a digest, or an alias; for `latest` the newest deleted version if none is live. If an op and an
 * object with one name both match, the older one.
 */
export async function findVersion(postgres: Postgres, key: SoughtName, word: string): Promise<ObjectVersion | null> {
  const found = await versionsNamed(postgres, key)
    .where(word === 'latest' && key.kind !== undefined ? isLive : matches(word))
    .orderBy(sql`v.deleted_at IS NOT NULL`)
    .orderBy(word === 'latest' && key.kind !== undefined ? sql`v.created_at DESC` : sql`v.first_created_at`)
    .limit(1)
    .executeTakeFirst();
  return found ?? (word === 'latest' ? newestVersion(postgres, key) : null);
}

/** Ops and objects with one name share the alias `latest`, so for one kind it is the newest of that kind. */
const isLive = sql<SqlBool>`v.deleted_at IS NULL`;

function versionsNamed(postgres: Postgres, { projectId, objectId, kind }: SoughtName) {
  const named = versionsOf(postgres.db, projectId).where('v.object_id', '=', objectId);
  return kind === undefined ? named : named.where('v.kind', '=', kind);
}

function matches(text: string) {
  const word = parseVersionWord(text);
  switch (word.kind) {
    case 'index':
      return sql<SqlBool>`v.version_index::float8 = ${word.index}::float8`; // any number may be requested
    case 'digest':
      return sql<SqlBool>`v.digest = ${word.digest}`;
    case 'name':
      return sql<SqlBool>`v.digest = (
        SELECT digest FROM ${sql.table('object_aliases')}
        WHERE project_id = v.project_id AND object_id = v.object_id AND alias = ${word.name})`;
    default:
      return word satisfies never;
  }
}

async function newestVersion(postgres: Postgres, key: SoughtName) {
  const newest = await versionsNamed(postgres, key)
    .orderBy('v.first_created_at', 'desc')
    .orderBy('v.version_index', 'desc')
    .limit(1)
    .executeTakeFirst();
  return newest ?? null;
}
