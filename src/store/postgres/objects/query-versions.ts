import { type SqlBool, sql } from 'kysely';
import type { VersionsFilter } from '../../../domain/objects/versions-filter.ts';
import type { Page } from '../../../domain/query/page.ts';
import { checkCount, queryLimits } from '../../../domain/query/query-limits.ts';
import type { SortBy } from '../../../domain/query/sort-by.ts';
import type { Postgres } from '../postgres.ts';
import { inTexts, isLatest, type ObjectVersion, versionsOf } from './version.ts';

export type VersionQuery = Page & { projectId: string; filter: VersionsFilter | null; sortBy: SortBy[] };

/** Live versions, by default the oldest first; fields that cannot be sorted by are ignored. */
export async function queryVersions(postgres: Postgres, query: VersionQuery): Promise<ObjectVersion[]> {
  checkCount('fields in its sort_by', query.sortBy.length, queryLimits.sortFields);
  let select = versionsOf(postgres.db, query.projectId).where('v.deleted_at', 'is', null);
  for (const condition of conditions(query.filter)) select = select.where(condition);
  for (const { field, direction } of query.sortBy) {
    const column = sortColumns.get(field);
    if (column) select = select.orderBy(column, direction);
  }
  select = select.orderBy('v.created_at').orderBy('v.version_index').orderBy('v.digest');
  if (query.limit !== null) select = select.limit(query.limit);
  if (query.offset !== null) select = select.offset(query.offset);
  return select.execute();
}

const sortColumns = new Map([
  ['object_id', sql`v.object_id`],
  ['created_at', sql`v.created_at`],
]);

function conditions(filter: VersionsFilter | null): ReturnType<typeof sql<SqlBool>>[] {
  if (filter === null) return [];
  const found = [];
  if (filter.kind) found.push(sql<SqlBool>`v.kind = ${filter.kind}`);
  if (filter.isLatest) found.push(isLatest);
  for (const [column, values] of [
    ['v.object_id', filter.objectIds],
    ['v.base_object_class', filter.baseClasses],
    ['v.leaf_object_class', filter.leafClasses],
  ] as const) {
    if (values?.length) found.push(sql<SqlBool>`${sql.ref(column)} = ${inTexts(values)}`);
  }
  const excluded = filter.excludedBaseClasses;
  if (excluded?.length) found.push(sql<SqlBool>`(v.base_object_class = ${inTexts(excluded)}) IS NOT TRUE`);
  if (filter.tags?.length) found.push(isLabelled('object_tags', 'tag', filter.tags));
  if (filter.aliases?.length) found.push(isLabelled('object_aliases', 'alias', filter.aliases));
  return found;
}

function isLabelled(table: 'object_tags' | 'object_aliases', column: 'tag' | 'alias', words: string[]) {
  return sql<SqlBool>`EXISTS (
    SELECT FROM ${sql.table(table)} AS label
    WHERE label.project_id = v.project_id AND label.object_id = v.object_id AND label.digest = v.digest
      AND ${sql.ref(`label.${column}`)} = ${inTexts(words)})`;
}
