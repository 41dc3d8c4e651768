import type { ProjectId } from '../../contract/ids.ts';
import type { FineTuningJob } from '../../domain/fine-tuning/job.ts';
import { openAiId } from '../../domain/openai-ids.ts';
import type { Caller } from '../../identity/identity.ts';
import {
  deleteFineTuningCheckpoints,
  type FineTuningCheckpoint,
  findFineTuningCheckpoint,
  listFineTuningCheckpoints,
} from '../../store/postgres/fine-tuning/checkpoints.ts';
import { listNumberedEvents, type NumberedEvent } from '../../store/postgres/fine-tuning/events.ts';
import {
  findFineTuningJob,
  listFineTunedModels,
  listFineTuningJobs,
  type MetadataFilter,
  markFineTuning,
} from '../../store/postgres/fine-tuning/jobs.ts';
import { listCheckpoints } from '../../store/postgres/training/checkpoints.ts';
import { sequenceOf } from '../../store/postgres/training/events.ts';
import { appendEvent } from '../../store/postgres/training/jobs.ts';
import { findModel } from '../../store/postgres/training/models.ts';
import { markPaused } from '../../store/postgres/training/pauses.ts';
import { invalidInput, isRefusal, notFound } from '../../util/failures.ts';
import type { Deps } from '../deps.ts';
import { findFineTunedModel } from '../models/fine-tuned-model.ts';
import { deleteCheckpointBlobs } from '../training/delete-blobs.ts';
import type { Training } from '../training/training.ts';
import { type CreateDeps, createFineTuning, type NewFineTuning } from './create-job.ts';

export type { FineTuningJob, NumberedEvent };

/** A model with the name of its base. */
export type TunedModel = { job: FineTuningJob; base: string };

type Page = { after: string | null; limit: number };

/** Jobs of OpenAI's fine-tuning API, which are training jobs, and the models that they make. */
export type FineTuning = {
  create(wanted: NewFineTuning): Promise<FineTuningJob>;
  /** @throws Failure if the project has no such job */
  find(projectId: ProjectId, id: string): Promise<FineTuningJob>;
  /** Newest first. @throws Failure if the project has no job of the id `after` */
  list(projectId: ProjectId, page: Page & { metadata?: MetadataFilter }): Promise<FineTuningJob[]>;
  /** Newest first. @throws Failure if the job has no event of the id `after` */
  events(job: FineTuningJob, page: Page): Promise<NumberedEvent[]>;
  /** The last step first. @throws Failure if the job has no checkpoint of the id `after` */
  checkpoints(job: FineTuningJob, page: Page): Promise<FineTuningCheckpoint[]>;
  /** @throws Failure if the job has ended */
  cancel(job: FineTuningJob): Promise<void>;
  /** The job finishes its step and keeps its state. @throws Failure if it has ended or is paused */
  pause(job: FineTuningJob): Promise<void>;
  /** @throws Failure if the job is not paused */
  resume(job: FineTuningJob): Promise<void>;
  /** The newest models of a project. */
  models(projectId: ProjectId): Promise<TunedModel[]>;
  /** The model or checkpoint of a name; null if there is none that the caller may use. */
  findModel(name: string, caller: Caller): Promise<TunedModel | null>;
  /** Deletes a model with its checkpoints; its job is kept. @throws Failure if there is no such model */
  deleteModel(name: string, caller: Caller): Promise<void>;
};

/** The number of models in one list. */
const modelsMax = 1000;

export function openFineTuning(deps: CreateDeps & { training: Training }): FineTuning {
  const { postgres, blobs, training } = deps;

  async function find(projectId: ProjectId, id: string): Promise<FineTuningJob> {
    const job = await findFineTuningJob(postgres, { id, projectId });
    if (job === null) throw noSuchJob(id);
    return job;
  }

  return {
    find,

    async create(wanted) {
      const { id } = await createFineTuning(deps, wanted);
      return find(wanted.projectId, id);
    },

    async list(projectId, page) {
      if (page.after !== null) await find(projectId, page.after);
      return listFineTuningJobs(postgres, { projectId, ...page });
    },

    async events({ id: jobId }, { after, limit }) {
      const sequence = after === null ? null : await sequenceOf(postgres, jobId, after);
      if (after !== null && sequence === null)
        throw notFound(`The job has no such event: ${after}`, { param: 'after' });
      return listNumberedEvents(postgres, { jobId, beforeSequence: sequence, limit });
    },

    async checkpoints({ id: jobId }, { after, limit }) {
      const last = after === null ? null : await findFineTuningCheckpoint(postgres, jobId, { id: after });
      if (after !== null && last === null)
        throw notFound(`The job has no such checkpoint: ${after}`, { param: 'after' });
      return listFineTuningCheckpoints(postgres, { jobId, beforeStep: last?.step ?? null, limit });
    },

    async cancel({ id }) {
      if (!(await training.jobs.cancel(id))) throw over(id, 'canceled');
      await markFineTuning(postgres, id, 'canceled_at');
    },

    async pause({ id }) {
      await postgres.db.transaction().execute(async (transaction) => {
        const db = { db: transaction };
        const isDone = (await notice(db, id, 'The job is paused')) && (await markPaused(db, id));
        if (!isDone) throw over(id, 'paused');
      });
    },

    async resume({ id }) {
      if (!(await training.jobs.resume(id))) throw invalidInput(`The job ${openAiId('ftjob-', id)} is not paused.`);
    },

    async models(projectId) {
      const jobs = await listFineTunedModels(postgres, projectId, modelsMax);
      const models = await Promise.all(jobs.map(({ modelId }) => findModel(postgres, modelId)));
      return jobs.flatMap((job, i) => (models[i] ? [{ job, base: models[i].baseModel }] : []));
    },

    findModel: (name, caller) =>
      findFineTunedModel(deps, name, caller).catch((error) => {
        if (isRefusal(error)) return null;
        throw error;
      }),

    async deleteModel(name, caller) {
      const found = await findFineTunedModel(deps, name, caller);
      if (found === null || name !== found.job.fineTunedModel) {
        throw invalidInput(`${name} is not the name of a fine-tuned model.`);
      }
      const { id, projectId, modelId } = found.job;
      await markFineTuning(postgres, id, 'model_deleted_at');
      for (const checkpointId of await deleteFineTuningCheckpoints(postgres, id)) {
        await deleteCheckpointBlobs(blobs, projectId, checkpointId);
      }
      const model = (await findModel(postgres, modelId))!;
      const page = { modelId, order: 'asc' as const, afterStep: null, limit: modelsMax };
      const steps = (await listCheckpoints(postgres, page)).map(({ step }) => step);
      await training.checkpoints.delete(model, steps);
    },
  };
}

/** Adds a message to the events of a job that is not over. @returns false if it is over */
function notice(db: Pick<Deps['postgres'], 'db'>, id: string, message: string): Promise<boolean> {
  return appendEvent(db, id, { type: 'notice', data: { message } });
}

function noSuchJob(id: string) {
  return notFound(`Could not find fine tune: ${openAiId('ftjob-', id)}`, { param: 'fine_tuning_job_id' });
}

function over(id: string, what: string) {
  return invalidInput(`The job ${openAiId('ftjob-', id)} has ended or is ${what} already, so it cannot be ${what}.`);
}
