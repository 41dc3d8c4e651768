import { infiniteQueryOptions } from '@tanstack/react-query';
import { projectAddressOf } from '../urls.ts';
import { ask } from './client.ts';
import type { AnswerOf } from './contract.ts';

export type Lineage = AnswerOf<'POST /v2/{entity}/{project}/lineage/query'>;

const rowsInPage = 10;

/** The lineage of a call or a checkpoint; further pages have more calls of the job. */
export function lineageQuery(projectId: string, of: { call_id: string } | { checkpoint_id: string }) {
  return infiniteQueryOptions({
    queryKey: ['calls', projectId, 'lineage', of],
    queryFn: ({ signal, pageParam }) =>
      ask(
        'POST /v2/{entity}/{project}/lineage/query',
        { params: projectAddressOf(projectId), body: { ...of, limit: rowsInPage, after: pageParam } },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }: Lineage) => next,
  });
}
