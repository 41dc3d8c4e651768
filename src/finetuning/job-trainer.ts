import { noUsage, type TrainingUsage } from '../domain/training/usage.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import { setWaitingReason } from '../store/postgres/training/jobs.ts';
import type { ModelInTraining, Trainer } from '../training/trainer.ts';
import type { JobRun } from './job-run.ts';
import { UsageRecord } from './usage-record.ts';

type JobTrainerDeps = { trainer: Trainer; postgres: Postgres; onDefect(error: unknown): void };

/** The trainer of one run of a job, whose use and whose waiting are stored with the job. */
export function openJobTrainer(
  { trainer, postgres, onDefect }: JobTrainerDeps,
  { job: { id: jobId }, model: { projectId } }: Pick<JobRun, 'job' | 'model'>,
) {
  const record = new UsageRecord(postgres);
  let current: ModelInTraining | null = null;
  let waiting: Promise<void> = Promise.resolve();

  /** One after the other, and never in the way of training. */
  function onWaiting(reason: string | null): void {
    waiting = waiting.then(() => setWaitingReason(postgres, jobId, reason)).catch(onDefect);
  }

  const storeUsage = (): Promise<TrainingUsage> => record.store({ jobId, projectId }, current?.usage ?? noUsage);

  return {
    trainer: {
      async createModel(spec, signal) {
        current = await trainer.createModel(spec, signal, onWaiting);
        return current;
      },
    } satisfies Trainer,
    /** @returns what was used since the last time */
    storeUsage,
    /** Stores what is left, also of work that fails. */
    async whileUsed<Result>(work: () => Promise<Result>): Promise<Result> {
      try {
        return await work();
      } catch (error) {
        onWaiting(null);
        throw error;
      } finally {
        await waiting;
        await storeUsage().catch(onDefect);
      }
    },
  };
}
