import type { TrainingJob } from '../../api/training.ts';
import { Badge } from '../../ui/Badge.tsx';

const tones = {
  queued: 'neutral',
  running: 'accent',
  paused: 'warning',
  ended: 'success',
  failed: 'error',
  canceled: 'warning',
} as const;

export const kindNames: Record<TrainingJob['type'], string> = {
  rl: 'Reinforcement learning',
  sft: 'Supervised',
  dpo: 'Preferences',
  rft: 'Reinforcement, graded',
};

/** A canceled job is one that failed for this reason. */
export function JobStatus({ status }: { status: TrainingJob['status'] | 'canceled' }) {
  return <Badge tone={tones[status]}>{status}</Badge>;
}
