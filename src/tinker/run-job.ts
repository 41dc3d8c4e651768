import { newId } from '../contract/ids.ts';
import type { TrainingKind } from '../domain/training/job.ts';
import type { TrainingState } from '../engine/training/types.ts';
import { makeCheckpoint } from '../finetuning/new-checkpoint.ts';
import { checkpointContent } from '../services/training/checkpoint-artifacts.ts';
import { deleteJobBlobs } from '../services/training/delete-blobs.ts';
import type { Blobs } from '../store/blobs/blobs.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import { setJobOfTinkerRun } from '../store/postgres/tinker/runs.ts';
import {
  addCheckpoint,
  appendEvent,
  completeJob,
  createJob,
  endJob,
  failJob,
  findJob,
  type NewEvent,
  startJob,
  type TrainingJob,
} from '../store/postgres/training/jobs.ts';
import type { TrainedModel } from '../store/postgres/training/models.ts';
import { conflict } from '../util/failures.ts';

export type JobStores = { postgres: Postgres; blobs: Blobs };

/** The training job that shows a run: its steps are events, and its checkpoints are those of a trained model. */
export class RunJob {
  readonly #stores: JobStores;
  readonly #model: TrainedModel;
  readonly #job: TrainingJob;
  #metrics: Record<string, number> = {};
  #isSaved = true;

  private constructor(stores: JobStores, model: TrainedModel, job: TrainingJob) {
    this.#stores = stores;
    this.#model = model;
    this.#job = job;
  }

  static async start(
    stores: JobStores,
    model: TrainedModel,
    { runId, kind, config, createdBy }: { runId: string; kind: TrainingKind; config: object; createdBy: string },
  ): Promise<RunJob> {
    const id = newId();
    // First the run, which ends the job if this process does.
    await setJobOfTinkerRun(stores.postgres, runId, id);
    const values = { id, modelId: model.id, kind, config: { ...config }, metrics: {}, createdBy };
    await createJob(stores.postgres, values);
    await startJob(stores.postgres, id);
    await appendEvent(stores.postgres, id, { type: 'training_started', data: {} });
    return new RunJob(stores, model, (await findJob(stores.postgres, id))!);
  }

  get id(): string {
    return this.#job.id;
  }

  /** @throws Failure if the job was canceled or deleted */
  async addStep(metrics: Record<string, number>): Promise<void> {
    this.#metrics = metrics;
    this.#isSaved = false;
    await this.#add({ type: 'gradient_step', data: metrics });
  }

  /**
   * Lists a checkpoint that is served from then on.
   * @param alsoStore what is stored with it
   * @throws Failure if the job was canceled or deleted
   */
  async addCheckpoint(
    state: TrainingState,
    alsoStore: (postgres: Pick<Postgres, 'db'>, made: { id: string; sizeBytes: number }) => Promise<void>,
  ): Promise<{ id: string; step: number; sizeBytes: number }> {
    const id = newId();
    return makeCheckpoint(this.#stores, this.#owner, { id, state }, async (sizeBytes) => {
      const checkpoint = await this.#contentOf(id, sizeBytes);
      const also = (postgres: Pick<Postgres, 'db'>) => alsoStore(postgres, { id, sizeBytes });
      const step = await addCheckpoint(this.#stores.postgres, this.#job, checkpoint, also);
      if (step === null) throw isOver();
      this.#isSaved = true;
      await this.#add({ type: 'checkpoint', data: { step } });
      return { id, step, sizeBytes };
    });
  }

  /** Ends the job, with a checkpoint of what no checkpoint has yet. */
  async end(saveState: () => Promise<TrainingState>): Promise<void> {
    const { postgres, blobs } = this.#stores;
    if (this.#isSaved) {
      await completeJob(postgres, this.#job.id);
    } else {
      const id = newId();
      await makeCheckpoint(this.#stores, this.#owner, { id, state: await saveState() }, async (sizeBytes) =>
        endJob(postgres, this.#job, await this.#contentOf(id, sizeBytes)),
      );
    }
    await deleteJobBlobs({ postgres, blobs }, this.#model.projectId, this.#job.id);
  }

  async fail(message: string): Promise<void> {
    await failJob(this.#stores.postgres, this.#job.id, message);
    await deleteJobBlobs(this.#stores, this.#model.projectId, this.#job.id);
  }

  get #owner() {
    return { projectId: this.#model.projectId, jobId: this.#job.id, assertHeld: async () => {} };
  }

  async #contentOf(id: string, sizeBytes: number) {
    const content = await checkpointContent(this.#stores.blobs, this.#model.projectId, id);
    return { id, metrics: this.#metrics, sizeBytes, content };
  }

  async #add(event: NewEvent): Promise<void> {
    if (!(await appendEvent(this.#stores.postgres, this.#job.id, event))) throw isOver();
  }
}

function isOver() {
  return conflict('The training job of this run was canceled or deleted.');
}
