import type { Turn } from '../../api/loops.ts';
import { Badge } from '../../ui/Badge.tsx';

const outcomes = {
  promoted: ['success', 'promoted'],
  'nothing-to-train': ['neutral', 'nothing to train'],
  'over-budget': ['warning', 'over budget'],
  rejected: ['error', 'rejected'],
  'not-enough-evidence': ['warning', 'not enough evidence'],
  declined: ['warning', 'declined'],
  returned: ['error', 'returned'],
  changed: ['warning', 'policy changed'],
  failed: ['error', 'failed'],
  canceled: ['warning', 'canceled'],
} as const;

const phases = {
  waiting: ['neutral', 'waiting'],
  collecting: ['accent', 'collecting'],
  training: ['accent', 'training'],
  testing: ['accent', 'testing'],
  asking: ['warning', 'asks'],
  'rolling-out': ['accent', 'rolling out'],
  ended: ['neutral', 'ended'],
} as const;

/** How a turn has ended; before, its phase. */
export function TurnState({ turn: { phase, outcome, undone_at: undoneAt } }: { turn: Turn }) {
  if (undoneAt !== null) return <Badge tone="warning">promoted, undone</Badge>;
  const [tone, word] = outcome === null ? phases[phase] : outcomes[outcome];
  return <Badge tone={tone}>{word}</Badge>;
}
