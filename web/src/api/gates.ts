import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type ProjectAddress, projectIdOf } from '../urls.ts';
import { ask } from './client.ts';
import type { AnswerOf, RequestOf } from './contract.ts';
import { orMissing } from './missing.ts';

export type Suite = AnswerOf<'GET /v2/{entity}/{project}/suites'>['suites'][number];
export type ListedGate = AnswerOf<'GET /v2/{entity}/{project}/gates'>['gates'][number];
export type Gate = AnswerOf<'GET /v2/{entity}/{project}/gates/{gate_id}'>;
export type GateRequest = RequestOf<'POST /v2/{entity}/{project}/gates'>['body'];
export type SuiteRequest = RequestOf<'POST /v2/{entity}/{project}/suites'>['body'];

/** The suites of a project, by name; read again while one is compared with earlier jobs. A project that does not exist yet has none. */
export function suitesQuery(address: ProjectAddress) {
  const params = addressOf(address);
  return queryOptions({
    queryKey: ['suites', projectIdOf(address)],
    queryFn: async ({ signal }) =>
      (await orMissing(ask('GET /v2/{entity}/{project}/suites', { params }, { signal }), { suites: [] })).suites,
    refetchInterval: ({ state: { data } }) =>
      data?.some(({ scan: { status } }) => status === 'waiting' || status === 'running') ? 2000 : false,
  });
}

/** The gates of a project, or of a suite, the newest first; read again while one of the newest is open. */
export function gatesQuery(address: ProjectAddress, suite: string | undefined) {
  const params = addressOf(address);
  return infiniteQueryOptions({
    queryKey: ['gates', projectIdOf(address), 'list', suite ?? null],
    queryFn: async ({ pageParam, signal }) => {
      const query = { suite: suite ?? null, limit: pageSize, offset: pageParam };
      const answer = ask('GET /v2/{entity}/{project}/gates', { params, query }, { signal });
      return (await orMissing(answer, { gates: [] })).gates;
    },
    initialPageParam: 0,
    getNextPageParam: (last: ListedGate[], pages) => (last.length < pageSize ? undefined : pages.length * pageSize),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => {
      const [first = [], ...others] = data?.pages ?? [];
      return first.length === 0 || (others.length === 0 && first.some(isOpen)) ? 3000 : false;
    },
  });
}

/** A gate with its evidence, read again until it has ended. */
export function gateQuery(address: ProjectAddress, id: string) {
  const params = { ...addressOf(address), gate_id: id };
  return queryOptions({
    queryKey: ['gates', projectIdOf(address), 'gate', id],
    queryFn: ({ signal }) => ask('GET /v2/{entity}/{project}/gates/{gate_id}', { params }, { signal }),
    refetchInterval: ({ state: { data } }) => (data && isOpen(data) ? 1000 : false),
  });
}

/** What the candidates of a suite have used up of it, as its newest gate reports it; null before the first. */
export function suiteUseQuery(address: ProjectAddress, suite: string) {
  const params = addressOf(address);
  return queryOptions({
    queryKey: ['gates', projectIdOf(address), 'use', suite],
    queryFn: async ({ signal }) => {
      const query = { suite, limit: 1 };
      const { gates } = await ask('GET /v2/{entity}/{project}/gates', { params, query }, { signal });
      if (gates[0] === undefined) return null;
      const newest = { ...params, gate_id: gates[0].id };
      return (await ask('GET /v2/{entity}/{project}/gates/{gate_id}', { params: newest }, { signal })).suite_use;
    },
  });
}

export function isOpen({ state }: Pick<ListedGate, 'state'>): boolean {
  return state === 'waiting' || state === 'running';
}

/** @throws RequestError */
export function startGate(address: ProjectAddress, body: GateRequest): Promise<{ id: string }> {
  return ask('POST /v2/{entity}/{project}/gates', { params: addressOf(address), body });
}

/** @throws RequestError */
export function freezeSuite(address: ProjectAddress, body: SuiteRequest): Promise<Suite> {
  return ask('POST /v2/{entity}/{project}/suites', { params: addressOf(address), body });
}

function addressOf({ entity, project }: ProjectAddress): ProjectAddress {
  return { entity, project };
}

const pageSize = 100;
