import type { TrainingJob } from '../../services/training/jobs.ts';

export function trainingJobAnswer({ id, modelId, kind, status, createdAt, startedAt, endedAt }: TrainingJob) {
  return {
    id,
    model_id: modelId,
    type: kind,
    status,
    created_at: createdAt.toISOString(),
    started_at: startedAt?.toISOString() ?? null,
    ended_at: endedAt?.toISOString() ?? null,
  };
}
