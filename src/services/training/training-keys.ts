import type { ProjectId } from '../../contract/ids.ts';

/** The keys of training data in the blob store. */
export const trainingKeys = {
  /** Below it is what a job needs until its end. */
  job: jobOf,
  /** The trajectories, conversations or pairs of a job, one per line. */
  jobData: (projectId: ProjectId, jobId: string) => `${jobOf(projectId, jobId)}/trajectories.jsonl`,
  /** The validation data, if it is a separate file. */
  validationData: (projectId: ProjectId, jobId: string) => `${jobOf(projectId, jobId)}/validation.jsonl`,
  /** Below it are the weights of a job with which the engine answers. */
  sampler: (projectId: ProjectId, jobId: string) => `${jobOf(projectId, jobId)}/sampler`,
  /** Below it are the states in which a job was paused, each in a folder. */
  pausedStates: (projectId: ProjectId, jobId: string) => `${jobOf(projectId, jobId)}/paused`,
  /** Below it is an empty file for each checkpoint whose files the job has begun to write, with the id as its name. */
  begunCheckpoints: (projectId: ProjectId, jobId: string) => `${jobOf(projectId, jobId)}/checkpoints`,
  /** Below it are the files of a checkpoint. */
  checkpoint: (projectId: ProjectId, checkpointId: string) => `projects/${projectId}/checkpoints/${checkpointId}`,
  /** Below it are the files of what a client of the Tinker API saved and nothing serves. */
  tinkerState: (projectId: ProjectId, modelId: string, id: string) => `${tinkerOf(projectId, modelId)}/${id}`,
  /** Below it are all of these of a model. */
  tinkerStates: tinkerOf,
  /** Logged trajectories of a model, one per line. */
  log: (projectId: ProjectId, modelId: string, logId: string) => `${logsOf(projectId, modelId)}/${logId}.jsonl`,
  /** Below it are the logs of a model. */
  logs: logsOf,
  /** What the steps of a job trained on, in readable form: one step per line. */
  rollouts: (projectId: ProjectId, modelId: string, jobId: string) =>
    `${rolloutsOf(projectId, modelId)}/${jobId}.jsonl`,
  /** Below it are the rollouts of a model's jobs. */
  modelRollouts: rolloutsOf,
};

function tinkerOf(projectId: ProjectId, modelId: string): string {
  return `projects/${projectId}/tinker/${modelId}`;
}

function jobOf(projectId: ProjectId, jobId: string): string {
  return `projects/${projectId}/training-jobs/${jobId}`;
}

function rolloutsOf(projectId: ProjectId, modelId: string): string {
  return `projects/${projectId}/rollouts/${modelId}`;
}

function logsOf(projectId: ProjectId, modelId: string): string {
  return `projects/${projectId}/trajectory-logs/${modelId}`;
}
