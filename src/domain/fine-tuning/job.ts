import type { FineTuningMethod } from '../../contract/fine-tuning/method.ts';
import type { ProjectId } from '../../contract/ids.ts';
import type { TrainingStatus } from '../training/job.ts';

/** What was asked for with OpenAI's API; the training job of the same id does it. */
export type FineTuning = {
  id: string;
  projectId: ProjectId;
  model: string;
  /** What the model is called once the job has succeeded. */
  fineTunedModel: string;
  startProjectId: ProjectId | null;
  startCheckpointId: string | null;
  trainingFileId: string;
  validationFileId: string | null;
  method: FineTuningMethod;
  seed: number;
  metadata: Record<string, string> | null;
};

/** A job and how it goes. */
export type FineTuningJob = FineTuning & {
  modelId: string;
  /** The checkpoint that it has made, once it has ended. */
  checkpointId: string;
  status: TrainingStatus;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
  pausedAt: Date | null;
  /** Null if a person paused it. */
  pausedReason: string | null;
  canceledAt: Date | null;
  resultFileId: string | null;
  trainedTokens: number | null;
  modelDeletedAt: Date | null;
  /** Steps so far; 0 unless the job is running. */
  steps: number;
  /** All of them; null while the data is not prepared. */
  stepsTotal: number | null;
  /** Of its last event, if it failed. */
  failure: { error_message: string; param?: string | null } | null;
};
