export type TrainingKind = 'rl' | 'sft' | 'dpo' | 'rft';

export type TrainingStatus = 'queued' | 'running' | 'ended' | 'failed';

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
