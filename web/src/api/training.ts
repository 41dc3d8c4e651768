import { queryOptions } from '@tanstack/react-query';
import type { ProjectAddress } from '../urls.ts';
import { ask } from './client.ts';
import type { AnswerOf } from './contract.ts';
import { readToEnd } from './cursor-pages.ts';
import { orMissing } from './missing.ts';

export type TrainedModel = AnswerOf<'GET /v1/preview/models'>['data'][number];
export type TrainingJob = AnswerOf<'GET /v1/preview/training-jobs'>['data'][number];
export type TrainingEvent = AnswerOf<'GET /v1/preview/training-jobs/{job_id}/events'>['data'][number];
export type Checkpoint = AnswerOf<'GET /v1/preview/models/{model_id}/checkpoints'>['data'][number];

/** The models of a project, the newest first. A project that does not exist yet has none. */
export function trainedModelsQuery({ entity, project }: ProjectAddress) {
  return queryOptions({
    queryKey: ['trained-models', `${entity}/${project}`],
    queryFn: async ({ signal }) => {
      const read = readToEnd<TrainedModel>([], (page) =>
        ask('GET /v1/preview/models', { query: { entity, project, ...page } }, { signal }),
      );
      return (await orMissing(read, [])).reverse();
    },
    refetchInterval: ({ state: { data } }) => (data?.length === 0 ? 2000 : 10_000),
  });
}

export function isOpen({ status }: TrainingJob): boolean {
  return status === 'queued' || status === 'running' || status === 'paused';
}

/** It does not go on by itself. */
export function isPaused({ status }: TrainingJob): boolean {
  return status === 'paused';
}

/** The jobs of a model, the oldest first; read again while one of them is unfinished. */
export function trainingJobsQuery(modelId: string) {
  const queryKey = ['training-jobs', modelId];
  return queryOptions({
    queryKey,
    queryFn: ({ client, signal }) => {
      const before = client.getQueryData<TrainingJob[]>(queryKey) ?? [];
      const firstOpen = before.findIndex(isOpen);
      return readToEnd<TrainingJob>(before.slice(0, firstOpen === -1 ? before.length : firstOpen), (page) =>
        ask('GET /v1/preview/training-jobs', { query: { model_id: modelId, ...page } }, { signal }),
      );
    },
    refetchInterval: ({ state: { data } }) => (data?.some((job) => isOpen(job) && !isPaused(job)) ? 1000 : 5000),
  });
}

/** The events of a job so far; only new ones are read again, until the job has ended. */
export function trainingEventsQuery(jobId: string) {
  const queryKey = ['training-events', jobId];
  return queryOptions({
    queryKey,
    queryFn: ({ client, signal }) =>
      readToEnd(client.getQueryData<TrainingEvent[]>(queryKey) ?? [], (page) =>
        ask('GET /v1/preview/training-jobs/{job_id}/events', { params: { job_id: jobId }, query: page }, { signal }),
      ),
    structuralSharing: false, // comparing thousands of events costs more than drawing them
    refetchInterval: ({ state: { data } }) => (isOver(data) ? false : 1000),
  });
}

function isOver(events: TrainingEvent[] = []): boolean {
  const last = events.at(-1);
  if (last?.data.paused === true) return false; // others follow once it continues
  return last?.type === 'training_ended' || last?.type === 'training_failed';
}

/** The checkpoints of a model by step. @param endedJobs how many jobs have ended: each may have made one */
export function checkpointsQuery(modelId: string, endedJobs: number) {
  return queryOptions({
    queryKey: ['checkpoints', modelId, endedJobs],
    queryFn: ({ signal }) =>
      readToEnd<Checkpoint>([], (page) =>
        ask(
          'GET /v1/preview/models/{model_id}/checkpoints',
          { params: { model_id: modelId }, query: page },
          { signal },
        ),
      ),
    placeholderData: (before) => before,
  });
}

/** The name under which a model, or one of its checkpoints, is chatted with. */
export function servedName({ entity, project, name }: TrainedModel, step?: number): string {
  return `wandb-artifact:///${entity}/${project}/${name}${step === undefined ? '' : `:step${step}`}`;
}

/** What a step of a job trains on. Only jobs of some kinds keep it, from when their data is prepared. */
export function rolloutsQuery(jobId: string, step: number, isPrepared: boolean) {
  return queryOptions({
    queryKey: ['rollouts', jobId, step, isPrepared],
    queryFn: ({ signal }) =>
      ask(
        'GET /v1/preview/training-jobs/{job_id}/rollouts',
        { params: { job_id: jobId }, query: { step } },
        { signal },
      ),
    placeholderData: (before) => before,
    staleTime: Number.POSITIVE_INFINITY,
  });
}
