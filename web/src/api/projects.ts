import { queryOptions } from '@tanstack/react-query';
import { ask } from './client.ts';
import type { AnswerOf } from './contract.ts';

export type Project = AnswerOf<'GET /projects'>['projects'][number];

/** The projects of the user, the last active first; read again while the page is open. */
export const projectsQuery = queryOptions({
  queryKey: ['projects'],
  queryFn: async ({ signal }) => (await ask('GET /projects', {}, { signal })).projects,
  refetchInterval: 10_000,
});
