import { queryOptions } from '@tanstack/react-query';
import { ask } from './client.ts';
import type { AnswerOf } from './contract.ts';
import { orMissing } from './missing.ts';

export type ApiKey = AnswerOf<'GET /keys'>['keys'][number];
export type Member = AnswerOf<'GET /entities/{entity}/members'>['members'][number];
export type Secret = AnswerOf<'GET /secrets'>['secrets'][number];
export type Price = AnswerOf<'POST /cost/query'>['results'][number];
export type Examination = AnswerOf<'GET /service/doctor'>;

export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: async ({ signal }) => (await ask('GET /keys', {}, { signal })).keys,
});

export function membersQuery(entity: string) {
  return queryOptions({
    queryKey: ['members', entity],
    queryFn: async ({ signal }) =>
      (await ask('GET /entities/{entity}/members', { params: { entity } }, { signal })).members,
  });
}

export function secretsQuery(projectId: string) {
  return queryOptions({
    queryKey: ['secrets', projectId],
    queryFn: async ({ signal }) =>
      (await ask('GET /secrets', { query: { project_id: projectId } }, { signal })).secrets,
  });
}

/** The prices of the project itself, the newest first. */
export function pricesQuery(projectId: string) {
  return queryOptions({
    queryKey: ['prices', projectId],
    queryFn: async ({ signal }) => {
      const sort_by = [{ field: 'effective_date', direction: 'desc' as const }];
      const found = await orMissing(
        ask('POST /cost/query', { body: { project_id: projectId, sort_by } }, { signal }),
        null,
      );
      return found?.results ?? [];
    },
  });
}

/** How much a project stores. */
export function storedQuery(projectId: string) {
  return queryOptions({
    queryKey: ['stored', projectId],
    queryFn: async ({ signal }) => {
      const body = { project_id: projectId };
      const [calls, files] = await Promise.all([
        orMissing(
          ask('POST /calls/query_stats', { body: { ...body, include_total_storage_size: true } }, { signal }),
          null,
        ),
        orMissing(ask('POST /files/query_stats', { body }, { signal }), null),
      ]);
      return {
        calls: calls?.count ?? 0,
        callBytes: calls?.total_storage_size_bytes ?? 0,
        fileBytes: files?.total_size_bytes ?? 0,
      };
    },
    staleTime: 30_000,
  });
}

export const doctorQuery = queryOptions({
  queryKey: ['doctor'],
  queryFn: ({ signal }) => ask('GET /service/doctor', {}, { signal }),
  staleTime: 60_000,
  refetchOnWindowFocus: false,
});
