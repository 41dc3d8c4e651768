import { deleteCheckpointBlobs } from '../services/training/delete-blobs.ts';
import { trainingKeys } from '../services/training/training-keys.ts';
import { failJob, findJob, startJob } from '../store/postgres/training/jobs.ts';
import { findModel } from '../store/postgres/training/models.ts';
import { failureMessage } from './failure-message.ts';
import { openJobEvents } from './job-events.ts';
import { runRl } from './rl/run-rl.ts';
import type { FinetuningDeps } from './run-job.ts';
import { runSft } from './sft/run-sft.ts';

/** The work of training jobs. */
export type Finetuning = {
  /**
   * Runs a job to its last event. It may be called again for a job that was interrupted: the same steps are made, and
   * events that are stored are not repeated.
   * @throws if the job cannot be completed; `fail` then ends it
   */
  run(
    jobId: string,
    running: { signal: AbortSignal; report(progress: { done: number; total: number }): void },
  ): Promise<void>;
  /** Ends a job with `training_failed`. A job that has ended does not change. */
  fail(jobId: string, error: unknown): Promise<void>;
};

const runOfKind = { rl: runRl, sft: runSft };

export function openFinetuning(deps: FinetuningDeps): Finetuning {
  const { postgres, blobs } = deps;
  return {
    async run(jobId, running) {
      const job = await findJob(postgres, jobId);
      const model = job && (await findModel(postgres, job.modelId));
      if (!job || !model || !(await startJob(postgres, jobId))) return; // over, canceled or deleted
      await runOfKind[job.kind](deps, { job, model, events: await openJobEvents(postgres, jobId), ...running });
      await blobs.delete(trainingKeys.jobData(model.projectId, jobId));
    },

    async fail(jobId, error) {
      const job = await findJob(postgres, jobId);
      const model = job && (await findModel(postgres, job.modelId));
      if (!job || !model) return;
      const { message, isDefect } = failureMessage(error);
      if (isDefect) deps.onDefect(error);
      if (!(await failJob(postgres, jobId, message))) return;
      await deleteCheckpointBlobs(blobs, model.projectId, jobId);
      await blobs.delete(trainingKeys.jobData(model.projectId, jobId));
    },
  };
}
