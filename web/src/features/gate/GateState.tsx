import type { ListedGate } from '../../api/gates.ts';
import { Badge } from '../../ui/Badge.tsx';

const verdicts = {
  promote: ['success', 'promote'],
  reject: ['error', 'reject'],
  'not-enough-evidence': ['warning', 'not enough evidence'],
} as const;

const states = {
  waiting: ['neutral', 'waiting'],
  running: ['accent', 'running'],
  decided: ['neutral', 'decided'],
  failed: ['error', 'failed'],
  canceled: ['warning', 'canceled'],
} as const;

/** The verdict of a gate; without one, its state. */
export function GateState({ state, verdict }: Pick<ListedGate, 'state' | 'verdict'>) {
  const [tone, word] = verdict === null ? states[state] : verdicts[verdict];
  return <Badge tone={tone}>{word}</Badge>;
}
