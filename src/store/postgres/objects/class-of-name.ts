import type { Kysely } from 'kysely';
import type { Database, ObjectKind } from '../schema.ts';

/** The base class shared by the live versions of a name; undefined if there are none, null for untyped ones. */
export async function classOfName(
  db: Kysely<Database>,
  { projectId, kind, objectId }: { projectId: string; kind: ObjectKind; objectId: string },
): Promise<string | null | undefined> {
  const row = await db
    .selectFrom('object_versions')
    .select('base_object_class')
    .where('project_id', '=', projectId)
    .where('kind', '=', kind)
    .where('object_id', '=', objectId)
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row?.base_object_class;
}
