import type { ProjectId } from '../../contract/ids.ts';

/** The keys of training data in the blob store. */
export const trainingKeys = {
  /** The trajectories or conversations of a job, one to a line. */
  jobData: (projectId: ProjectId, jobId: string) => `projects/${projectId}/training-jobs/${jobId}/trajectories.jsonl`,
  /** Below it are the files of a checkpoint. */
  checkpoint: (projectId: ProjectId, checkpointId: string) => `projects/${projectId}/checkpoints/${checkpointId}`,
  /** Trajectories of a model that were logged, one to a line. */
  log: (projectId: ProjectId, modelId: string, logId: string) => `${logsOf(projectId, modelId)}/${logId}.jsonl`,
  /** Below it are the logs of a model. */
  logs: logsOf,
};

function logsOf(projectId: ProjectId, modelId: string): string {
  return `projects/${projectId}/trajectory-logs/${modelId}`;
}
