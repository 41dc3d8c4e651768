import { queryOptions } from '@tanstack/react-query';
import type { ProjectAddress } from '../urls.ts';
import { ask } from './client.ts';
import type { AnswerOf } from './contract.ts';
import { orMissing } from './missing.ts';

export type Policy = AnswerOf<'GET /v2/{entity}/{project}/policies'>['policies'][number];
export type PolicyWithVersions = AnswerOf<'GET /v2/{entity}/{project}/policies/{name}'>;
export type PolicyVersion = PolicyWithVersions['versions'][number];
export type PolicyLook = NonNullable<PolicyVersion['look']>;

/** The policies of a project by name. A project that does not exist yet has none. */
export function policiesQuery({ entity, project }: ProjectAddress) {
  return queryOptions({
    queryKey: ['policies', `${entity}/${project}`],
    queryFn: async ({ signal }) => {
      const read = ask('GET /v2/{entity}/{project}/policies', { params: { entity, project } }, { signal });
      return (await orMissing(read, { policies: [] })).policies;
    },
    refetchInterval: 10_000,
  });
}

/** A policy with its versions, the newest first; outcomes are counted every few seconds. */
export function policyQuery({ entity, project }: ProjectAddress, name: string) {
  return queryOptions({
    queryKey: ['policies', `${entity}/${project}`, name],
    queryFn: ({ signal }) =>
      ask('GET /v2/{entity}/{project}/policies/{name}', { params: { entity, project, name } }, { signal }),
    refetchInterval: 5000,
  });
}
