import { type Kysely, sql } from 'kysely';
import type { Database, ObjectKind } from '../schema.ts';

/** A version of an object or op, without its value. */
export type ObjectVersion = {
  projectId: string;
  kind: ObjectKind;
  objectId: string;
  digest: string;
  versionIndex: number;
  baseClass: string | null;
  leafClass: string | null;
  sizeBytes: number;
  userId: string | null;
  createdAt: Date;
  deletedAt: Date | null;
  isLatest: boolean;
};

/**
 * The versions of a project, including deleted ones, for a caller to filter and sort. `latest` is an alias like others:
 * it always refers to a live version if the name has one.
 */
export function versionsOf(db: Kysely<Database>, projectId: string) {
  return db
    .selectFrom('object_versions as v')
    .where('v.project_id', '=', projectId)
    .select([
      'v.project_id as projectId',
      'v.kind',
      'v.object_id as objectId',
      'v.digest',
      'v.version_index as versionIndex',
      'v.base_object_class as baseClass',
      'v.leaf_object_class as leafClass',
      'v.size_bytes as sizeBytes',
      'v.wb_user_id as userId',
      'v.created_at as createdAt',
      'v.deleted_at as deletedAt',
      isLatest.as('isLatest'),
    ]);
}

/** Whether `latest` of its name refers to the version `v`. */
export const isLatest = sql<boolean>`EXISTS (
  SELECT FROM ${sql.table('object_aliases')} AS a
  WHERE a.project_id = v.project_id AND a.object_id = v.object_id AND a.alias = 'latest' AND a.digest = v.digest)`;

/** A list of any length as one parameter. */
export function inTexts(values: readonly string[]) {
  return sql`ANY(${[...values]}::text[])`;
}
