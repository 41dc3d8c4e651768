import { shownStatus } from '../../domain/training/job.ts';
import { noUsage, type TrainingUsage } from '../../domain/training/usage.ts';
import type { TrainingJob } from '../../services/training/jobs.ts';

/** @param usage by the ids of jobs; those without it have used nothing */
export function trainingJobAnswer(job: TrainingJob, usage: ReadonlyMap<string, TrainingUsage>) {
  const { id, modelId, kind, createdAt, startedAt, endedAt, pausedReason, waitingReason } = job;
  const status = shownStatus(job);
  const used = usage.get(id) ?? noUsage;
  return {
    id,
    model_id: modelId,
    type: kind,
    status,
    created_at: createdAt.toISOString(),
    started_at: startedAt?.toISOString() ?? null,
    ended_at: endedAt?.toISOString() ?? null,
    paused_reason: status === 'paused' ? pausedReason : null,
    waiting_reason: status === 'running' ? waitingReason : null,
    usage: {
      seconds: used.seconds,
      forward_tokens: used.forwardTokens,
      trained_tokens: used.trainedTokens,
      optimizer_steps: used.optimizerSteps,
    },
    allows_suite_rows: job.allowsSuiteRows,
    suite_check: job.suiteCheck,
    suite_rows_found: job.suiteRowsFound,
  };
}
