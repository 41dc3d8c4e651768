import { queryOptions } from '@tanstack/react-query';
import { refOfObject } from '../refs.ts';
import type { ProjectAddress } from '../urls.ts';
import { ask } from './client.ts';
import type { AnswerOf } from './contract.ts';
import { orMissing } from './missing.ts';
import { trainedModelsQuery } from './training.ts';

export type ServedModel = AnswerOf<'GET /v1/models'>['data'][number];

/** The models that heddle serves, with those that were fine-tuned in the project. */
export function servedModelsQuery(projectId: string) {
  return queryOptions({
    queryKey: ['served-models', projectId],
    queryFn: async ({ signal }) => {
      const headers = { 'x-heddle-project': projectId };
      const found = await orMissing(ask('GET /v1/models', {}, { signal, headers }), null);
      return (found ?? (await ask('GET /v1/models', {}, { signal }))).data;
    },
    staleTime: 30_000,
  });
}

/** The models of providers that were published in the project, by their refs. */
export function providerModelsQuery(projectId: string) {
  return queryOptions({
    queryKey: ['provider-models', projectId],
    queryFn: async ({ signal }) => {
      const filter = { leaf_object_classes: ['ProviderModel'], latest_only: true };
      const body = { project_id: projectId, filter, limit: 200, metadata_only: true };
      const { objs } = await orMissing(ask('POST /objs/query', { body }, { signal }), { objs: [] });
      return objs.map(({ object_id: name, digest }) => ({ name, ref: refOfObject(projectId, name, digest) }));
    },
    staleTime: 30_000,
  });
}

/** The same key and answers as on the training page, read once. */
export function trainedModelsOnceQuery(address: ProjectAddress) {
  return queryOptions({ ...trainedModelsQuery(address), refetchInterval: false });
}
