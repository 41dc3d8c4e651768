import type { FineTuningJob } from '../domain/fine-tuning/job.ts';
import type { Fence, TrainingJob } from '../store/postgres/training/jobs.ts';
import type { TrainedModel } from '../store/postgres/training/models.ts';
import type { JobEvents } from './job-events.ts';

/** A job to run. */
export type JobRun = {
  job: TrainingJob;
  model: TrainedModel;
  /** Null for jobs that were not created with OpenAI's API. */
  fineTuning: FineTuningJob | null;
  /** Whether no other process can have begun to write what this run writes. */
  isFirst: boolean;
  events: JobEvents;
  signal: AbortSignal;
  report(progress: { done: number; total: number }): void;
  assertHeld: AssertHeld;
};

/**
 * Makes sure that no other process has taken the job, in each transaction that writes about it, and before other writes.
 * @throws if one has
 */
export type AssertHeld = (transaction?: Parameters<Fence>[0]) => Promise<void>;
