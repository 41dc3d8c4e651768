import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { tableDigestOf } from '../refs.ts';
import { ask, askBlob } from './client.ts';
import type { AnswerOf } from './contract.ts';

export type ObjectVersion = AnswerOf<'POST /obj/read'>['obj'];
export type TableRow = AnswerOf<'POST /table/query'>['rows'][number];

/** The newest version of each object and op of a project, without its value. */
export function objectsQuery(projectId: string) {
  return queryOptions({
    queryKey: ['objects', projectId, 'latest'],
    queryFn: ({ signal }) => askObjects(projectId, { latest_only: true }, signal),
    refetchInterval: ({ state: { data, error } }) => (error || data?.length === 0 ? 3000 : false),
  });
}

/** All versions of an object, the newest first, without their values. */
export function versionsQuery(projectId: string, name: string) {
  return queryOptions({
    queryKey: ['objects', projectId, 'versions', name],
    queryFn: async ({ signal }) => {
      const versions = await askObjects(projectId, { object_ids: [name] }, signal);
      return versions.toSorted((a, b) => b.version_index - a.version_index);
    },
  });
}

/** One version with its value. `digest` may also be an alias, or `v` and an index. */
export function versionQuery(projectId: string, name: string, digest: string) {
  return queryOptions({
    queryKey: ['objects', projectId, 'version', name, digest],
    queryFn: async ({ signal }) => {
      const body = { project_id: projectId, object_id: name, digest, include_tags_and_aliases: true };
      return (await ask('POST /obj/read', { body }, { signal })).obj;
    },
    enabled: digest !== '',
    placeholderData: keepPreviousData,
  });
}

/** The rows of a table, page by page. */
export function tableRowsQuery(projectId: string, digest: string) {
  return infiniteQueryOptions({
    queryKey: ['table', projectId, digest, 'rows'],
    queryFn: async ({ pageParam, signal }) => {
      const body = { project_id: projectId, digest, limit: pageSize, offset: pageParam };
      return (await ask('POST /table/query', { body }, { signal })).rows;
    },
    initialPageParam: 0,
    getNextPageParam: (last: TableRow[], pages) => (last.length < pageSize ? undefined : pages.length * pageSize),
    staleTime: Number.POSITIVE_INFINITY, // a table never changes: its digest would
  });
}

export function tableCountQuery(projectId: string, digest: string) {
  return queryOptions({
    queryKey: ['table', projectId, digest, 'count'],
    queryFn: async ({ signal }) =>
      (await ask('POST /table/query_stats', { body: { project_id: projectId, digest } }, { signal })).count,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The rows at the beginning of a table, to compare it with another one. */
export function tableStartQuery(projectId: string, digest: string | null) {
  return queryOptions({
    queryKey: ['table', projectId, digest, 'start'],
    queryFn: async ({ signal }) => {
      const body = { project_id: projectId, digest: digest!, limit: comparedRowsMax };
      return (await ask('POST /table/query', { body }, { signal })).rows;
    },
    enabled: digest !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** A few rows, from which the columns of a dataset are read. */
export function tableRowsHeadQuery(projectId: string, digest: string | null) {
  return queryOptions({
    queryKey: ['table', projectId, digest, 'head'],
    queryFn: async ({ signal }) => {
      const body = { project_id: projectId, digest: digest!, limit: 20 };
      return (await ask('POST /table/query', { body }, { signal })).rows;
    },
    enabled: digest !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The text of a file, such as the code of an op. */
export function fileTextQuery(projectId: string, digest: string) {
  return queryOptions({
    queryKey: ['file', projectId, digest],
    queryFn: async ({ signal }) => {
      const blob = await askBlob('POST /file/content', { body: { project_id: projectId, digest } }, { signal });
      return blob.text();
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The table of a dataset's rows; null if the version is not a dataset. */
export function tableOf({ val }: ObjectVersion): string | null {
  const rows = typeof val === 'object' && val !== null && 'rows' in val ? val.rows : null;
  return tableDigestOf(rows);
}

async function askObjects(
  projectId: string,
  filter: { latest_only?: boolean; object_ids?: string[] },
  signal: AbortSignal,
): Promise<ObjectVersion[]> {
  const body = { project_id: projectId, filter, metadata_only: true, include_tags_and_aliases: true };
  return (await ask('POST /objs/query', { body }, { signal })).objs;
}

export const comparedRowsMax = 5000;
const pageSize = 200;
