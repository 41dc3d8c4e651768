export type TrainingKind = 'rl' | 'sft' | 'dpo' | 'rft';

/** How a job's data compared with the suites of its project. */
export type SuiteCheck = 'clean' | 'allowed' | 'refused';

export type TrainingStatus = 'queued' | 'running' | 'ended' | 'failed';

/** A job that is paused is stored as queued or running. */
export function shownStatus(job: { status: TrainingStatus; pausedAt: Date | null }): TrainingStatus | 'paused' {
  const isOpen = job.status === 'queued' || job.status === 'running';
  return isOpen && job.pausedAt !== null ? 'paused' : job.status;
}

/** As clients see them, `contract/training-jobs/events.ts` describes them. */
export type TrainingEventType =
  | 'training_started'
  | 'gradient_step'
  | 'training_ended'
  | 'training_failed'
  | 'validation'
  | 'checkpoint'
  | 'notice'
  | 'warning'
  | 'alarm';
