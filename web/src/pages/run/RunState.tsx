import { Badge } from '../../ui/Badge.tsx';

export function RunState({ state }: { state: string }) {
  return <Badge tone={tones[state] ?? 'neutral'}>{state}</Badge>;
}

const tones: Record<string, 'success' | 'error' | 'accent' | 'warning'> = {
  finished: 'success',
  failed: 'error',
  crashed: 'error',
  killed: 'error',
  running: 'accent',
  preempting: 'warning',
};
