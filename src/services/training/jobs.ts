import type { Transaction } from 'kysely';
import { newId } from '../../contract/ids.ts';
import type { SftJobConfig } from '../../contract/training-jobs/sft-config.ts';
import type { TrajectoryGroup } from '../../contract/trajectories.ts';
import type { StepRollouts } from '../../domain/training/rollout.ts';
import { splitMetrics } from '../../domain/training/split-metrics.ts';
import type { TrainingUsage } from '../../domain/training/usage.ts';
import type { Caller } from '../../identity/identity.ts';
import type { Database } from '../../store/postgres/schema.ts';
import { listEvents, sequenceOf, type TrainingEvent } from '../../store/postgres/training/events.ts';
import {
  appendEvent,
  createJob,
  failJob,
  findJob,
  listJobs,
  type TrainingJob,
  withdrawFailure,
} from '../../store/postgres/training/jobs.ts';
import { addCallsOfJob } from '../../store/postgres/training/jobs-of-call.ts';
import { findModel, type TrainedModel } from '../../store/postgres/training/models.ts';
import { hasCheckpointSince, unpause } from '../../store/postgres/training/pauses.ts';
import { type RecentJob, recentJobs, rewardsBefore } from '../../store/postgres/training/recent-jobs.ts';
import { usageOfJobs } from '../../store/postgres/training/usage.ts';
import { conflict, isRefusal, notFound } from '../../util/failures.ts';
import type { Deps } from '../deps.ts';
import { type DataResolver, resolveData } from './data/resolve-data.ts';
import { deleteBlobs, deleteJobBlobs } from './delete-blobs.ts';
import { readRollouts } from './rollouts.ts';
import { trainingKeys } from './training-keys.ts';
import { trajectoryLines } from './write-trajectories.ts';

export type { TrainingJob };

/** Stops the work on a job. Does not change its record, which may have been deleted. */
export type CancelJob = (jobId: string) => Promise<void>;

/** Runs the jobs. */
export type JobRunner = {
  /** @param job `jobId` if the id of the job is already in the queue: it continues after a pause */
  enqueue(
    job: { id: string; jobId?: string; modelId: string; projectId: string },
    transaction: Transaction<Database>,
  ): Promise<void>;
  cancel: CancelJob;
  /** Stores that the job is not started again, with the event that ends it. Call `cancel` afterwards. */
  askToCancel(jobId: string, transaction: Transaction<Database>): Promise<void>;
  /** @throws the errors of the queue */
  check(): Promise<void>;
};

type Page = { after: string | null; limit: number };
type NewJob = {
  /** A UUIDv7; a new one by default. */
  id?: string;
  model: TrainedModel;
  config: Record<string, unknown>;
  createdBy: string;
  /** The calls that its data comes from, if they are known. */
  callIds?: Iterable<string>;
  /** Whether it may train on rows of suites. */
  allowsSuiteRows?: boolean;
  /** See `TrainingJob`. */
  startsFrom?: string | null;
};
/** A job with its data, and metrics of it. */
type NewJobOfLines = NewJob & { lines: AsyncIterable<Uint8Array>; metrics: Record<string, number> };
type NewSftJob = Pick<NewJob, 'id' | 'model' | 'callIds' | 'allowsSuiteRows' | 'startsFrom'> & {
  config: SftJobConfig;
  caller: Caller;
};

/** Training jobs and their events. */
export type TrainingJobs = {
  /** Queues a job. It survives a crash once this resolves. */
  createRl(job: NewJob & { groups: TrajectoryGroup[] }): Promise<{ id: string }>;
  /** The same for trajectories that are generated while they are stored, as the lines of `trajectoryLines`. */
  createRlOfLines(job: NewJobOfLines): Promise<{ id: string }>;
  /**
   * Queues a job with a copy of the data at the address of its configuration.
   * @param lines the data itself, if the address only names it
   * @throws Failure if the data cannot be read
   */
  createSft(job: NewSftJob, lines?: AsyncIterable<Uint8Array>): Promise<{ id: string }>;
  /** The data that a supervised job would copy. @throws Failure if it cannot be read */
  openData(address: string, caller: Caller): Promise<AsyncIterable<Uint8Array>>;
  find(id: string): Promise<TrainingJob | null>;
  list(model: TrainedModel, page: Page): Promise<TrainingJob[]>;
  /** The newest jobs of all projects, or those whose id ends with some characters. */
  recent(which: { ending: string | null; limit: number }): Promise<RecentJob[]>;
  /** The mean rewards of the jobs of a model before one of them, oldest first. */
  rewardsBefore(job: { id: string; modelId: string; limit: number }): Promise<number[]>;
  /** The events of a job in order. @throws Failure if the job has no event of the id `after` */
  events(jobId: string, page: Page): Promise<TrainingEvent[]>;
  /** What the steps of a job train on; empty until its data is prepared, and for kinds of jobs that do not keep it. */
  rollouts(model: TrainedModel, jobId: string): Promise<StepRollouts[]>;
  /** What was used for some jobs; those that have used nothing are left out. */
  usage(ids: string[]): Promise<Map<string, TrainingUsage>>;
  /** Ends an unfinished job and stops its work. @returns false if it had already ended */
  cancel(id: string): Promise<boolean>;
  /**
   * Lets a paused job continue. @returns false if it is not paused
   * @throws Failure if the model has been trained further meanwhile
   */
  resume(id: string): Promise<boolean>;
  /** @throws the reason why jobs cannot be queued */
  checkQueue(): Promise<void>;
};

/** Another request was faster. */
class NotPaused extends Error {}

/** Why a paused job cannot continue. */
export function trainedFurther(model: string): string {
  return `The model ${model} has been trained further while the job was paused, so the job cannot continue. Cancel it.`;
}

export function openTrainingJobs(
  { postgres, blobs }: Pick<Deps, 'postgres' | 'blobs'>,
  runner: JobRunner,
  resolvers: readonly DataResolver[],
): TrainingJobs {
  /** The data is stored first, so a queued job has it. */
  async function create(kind: TrainingJob['kind'], { callIds = [], ...job }: NewJobOfLines) {
    const { id = newId(), model, lines, metrics, config, createdBy, allowsSuiteRows = false, startsFrom } = job;
    await blobs.put(trainingKeys.jobData(model.projectId, id), lines);
    try {
      await postgres.db.transaction().execute(async (transaction) => {
        await createJob(
          { db: transaction },
          { id, modelId: model.id, kind, config, metrics, createdBy, allowsSuiteRows, startsFrom },
        );
        await addCallsOfJob(transaction, id, callIds);
        await runner.enqueue({ id, modelId: model.id, projectId: model.projectId }, transaction);
      });
    } catch (error) {
      if (isRefusal(error)) await deleteBlobs(blobs, trainingKeys.job(model.projectId, id)); // the model has just been deleted
      throw error;
    }
    return { id };
  }

  return {
    createRl: ({ groups, ...job }) =>
      create('rl', { ...job, lines: trajectoryLines(groups), metrics: splitMetrics('train', groups) }),
    createRlOfLines: (job) => create('rl', job),

    async createSft({ model, config, caller, ...more }, given) {
      const address = config.training_data_url;
      const lines = given ?? (await resolveData(resolvers, address, caller));
      const kept = { ...config, training_data_url: address.startsWith('data:') ? 'data:' : address };
      return create('sft', { ...more, model, lines, metrics: {}, config: kept, createdBy: caller.userId });
    },

    openData: (address, caller) => resolveData(resolvers, address, caller),
    find: (id) => findJob(postgres, id),
    usage: (ids) => usageOfJobs(postgres, ids),
    recent: (which) => recentJobs(postgres, which),
    rewardsBefore: (job) => rewardsBefore(postgres, job),
    list: ({ id }, page) => listJobs(postgres, { modelId: id, ...page }),

    async events(jobId, { after, limit }) {
      const last = after === null ? null : await sequenceOf(postgres, jobId, after);
      if (after !== null && last === null) throw notFound(`The job has no event with the id ${after}.`);
      return listEvents(postgres, { jobId, afterSequence: last, limit });
    },

    rollouts: ({ id, projectId }, jobId) => readRollouts(blobs, trainingKeys.rollouts(projectId, id, jobId)),

    async cancel(id) {
      const also = (transaction: Transaction<Database>) => runner.askToCancel(id, transaction);
      const wasOpen = await failJob(postgres, id, 'The job was canceled.', { also });
      if (!wasOpen) return false;
      await runner.cancel(id);
      const job = await findJob(postgres, id);
      const model = job?.pausedAt && (await findModel(postgres, job.modelId));
      if (model) await deleteJobBlobs({ postgres, blobs }, model.projectId, id); // no process works on it
      return true;
    },

    async resume(jobId) {
      const job = await findJob(postgres, jobId);
      const model = job && (await findModel(postgres, job.modelId));
      if (!model || job.pausedAt === null) return false;
      if (await hasCheckpointSince(postgres, model.id, job.pausedAt)) throw conflict(trainedFurther(model.name));
      return postgres.db
        .transaction()
        .execute(async (transaction) => {
          const db = { db: transaction };
          const notice = { type: 'notice' as const, data: { message: 'The job continues' } };
          if (!(await appendEvent(db, jobId, notice)) || !(await unpause(db, jobId))) throw new NotPaused();
          await withdrawFailure(db, jobId);
          await runner.enqueue({ id: newId(), jobId, modelId: model.id, projectId: model.projectId }, transaction);
          return true;
        })
        .catch((error) => {
          if (error instanceof NotPaused) return false;
          throw error;
        });
    },

    checkQueue: () => runner.check(),
  };
}
