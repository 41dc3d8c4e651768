import { type SqlBool, sql } from 'kysely';
import type { Postgres } from '../postgres.ts';
import { inTexts } from './version.ts';

/** The tags of a version, sorted, and its aliases, `latest` before the others. */
export type Labels = { tags: string[]; aliases: string[] };

/** @returns a function that returns the labels of a version of one of these objects. */
export async function readLabels(
  postgres: Postgres,
  projectId: string,
  objectIds: string[],
): Promise<(version: { objectId: string; digest: string }) => Labels> {
  const labels = new Map<string, Labels>();
  const labelsOf = ({ objectId, digest }: { objectId: string; digest: string }) => {
    const key = `${objectId}:${digest}`;
    const known = labels.get(key) ?? { tags: [], aliases: [] };
    labels.set(key, known);
    return known;
  };
  const [tags, aliases] = await Promise.all([
    labelRows(postgres, 'object_tags', 'tag', projectId, objectIds),
    labelRows(postgres, 'object_aliases', 'alias', projectId, objectIds),
  ]);
  for (const row of tags) labelsOf(row).tags.push(row.label);
  for (const row of aliases) {
    if (row.label === 'latest') labelsOf(row).aliases.unshift(row.label);
    else labelsOf(row).aliases.push(row.label);
  }
  return labelsOf;
}

function labelRows(
  postgres: Postgres,
  table: 'object_tags' | 'object_aliases',
  column: 'tag' | 'alias',
  projectId: string,
  objectIds: string[],
): Promise<{ objectId: string; digest: string; label: string }[]> {
  const label = sql<string>`${sql.ref(column)}`;
  return postgres.db
    .selectFrom(table)
    .select(['object_id as objectId', 'digest', label.as('label')])
    .where('project_id', '=', projectId)
    .where(sql<SqlBool>`object_id = ${inTexts([...new Set(objectIds)])}`)
    .orderBy(sql.ref(column))
    .execute();
}
