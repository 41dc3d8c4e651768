import { sftJobConfig } from '../contract/training-jobs/sft-config.ts';
import { sftSettings } from '../domain/training/sft-settings.ts';
import { deleteJobBlobs } from '../services/training/delete-blobs.ts';
import { findFineTuningJob } from '../store/postgres/fine-tuning/jobs.ts';
import { failJob, findJob, startJob } from '../store/postgres/training/jobs.ts';
import { findModel } from '../store/postgres/training/models.ts';
import { runDpo } from './dpo/run-dpo.ts';
import { failureMessage } from './failure-message.ts';
import { JobOver, openJobEvents } from './job-events.ts';
import type { AssertHeld, JobRun } from './job-run.ts';
import { JobPaused } from './pause.ts';
import { runRft } from './rft/run-rft.ts';
import { runRl } from './rl/run-rl.ts';
import type { FinetuningDeps } from './run-job.ts';
import { failMetricLog } from './sft/metric-log.ts';
import { runSft } from './sft/run-sft.ts';

/** The work of training jobs. */
export type Finetuning = {
  /** Whether only other processes have the files of the base model. */
  isForOthers(jobId: string): Promise<boolean>;
  /**
   * Runs a job to its last event. It may be called again for a job that was interrupted: the same steps are made, and
   * events that are stored are not repeated.
   * @throws if the job cannot be completed; `fail` then ends it
   */
  run(jobId: string, running: Pick<JobRun, 'isFirst' | 'signal' | 'report' | 'assertHeld'>): Promise<void>;
  /** Ends a job with `training_failed`. A job that has ended does not change. */
  fail(jobId: string, error: unknown, assertHeld?: AssertHeld): Promise<void>;
};

const runOfKind = { rl: runRl, sft: runSft, dpo: runDpo, rft: runRft };

export function openFinetuning(deps: FinetuningDeps): Finetuning {
  const { postgres } = deps;

  /** @returns false if the job is paused, and needs its data when it continues */
  async function toItsEnd(run: Omit<JobRun, 'events'>): Promise<boolean> {
    const { id, kind } = run.job;
    try {
      await runOfKind[kind](deps, { ...run, events: await openJobEvents(postgres, id, run.assertHeld) });
      return true;
    } catch (error) {
      if (!(error instanceof JobPaused)) throw error;
      return (await findJob(postgres, id))?.status !== 'running'; // it may have been canceled while it paused
    }
  }

  return {
    async isForOthers(jobId) {
      const job = await findJob(postgres, jobId);
      const model = job && (await findModel(postgres, job.modelId));
      const base = model && (await deps.models.find(model.baseModel));
      return base ? deps.isElsewhere(jobId, base) : false;
    },

    async run(jobId, running) {
      const job = await findJob(postgres, jobId);
      const model = job && (await findModel(postgres, job.modelId));
      const fineTuning = await findFineTuningJob(postgres, { id: jobId });
      if (!job || !model || job.pausedAt) return; // deleted, or not to be continued yet
      const isOver = !(await startJob(postgres, jobId)); // canceled while it waited, or ended just before a crash
      if (!isOver && !(await toItsEnd({ job, model, fineTuning, ...running }))) return;
      await deleteJobBlobs(deps, model.projectId, jobId);
    },

    async fail(jobId, error, assertHeld = async () => {}) {
      await assertHeld();
      const job = await findJob(postgres, jobId);
      const model = job && (await findModel(postgres, job.modelId));
      if (!job || !model || job.status === 'ended') return;
      if (job.kind === 'sft' && sftSettings(sftJobConfig.parse(job.config)).settings.metricLogging) {
        await failMetricLog(deps.runs, model);
      }
      const { message, param, isDefect } = failureMessage(error);
      if (isDefect && !(error instanceof JobOver)) deps.onDefect(error);
      await failJob(postgres, jobId, message, { param, fence: assertHeld });
      await deleteJobBlobs(deps, model.projectId, jobId);
    },
  };
}
