import type { Turn } from '../../api/loops.ts';

export type StepState =
  /** The turn is past it. */
  | 'done'
  /** The turn is in it. */
  | 'now'
  /** The turn ended in it, without a promotion. */
  | 'ended'
  /** It was not needed. */
  | 'skipped'
  | 'open';

export type Step = { phase: StepPhase; name: string; state: StepState };
type StepPhase = (typeof steps)[number]['phase'];

const steps = [
  { phase: 'collecting', name: 'Collecting' },
  { phase: 'training', name: 'Training' },
  { phase: 'testing', name: 'Testing' },
  { phase: 'asking', name: 'Asking' },
  { phase: 'rolling-out', name: 'Rolling out' },
] as const;

/** The phases of a turn, and how far it is. @param asks whether the plan asks a person */
export function stepsOf(turn: Turn, asks: boolean): Step[] {
  const reached = reachedOf(turn);
  const isPromoted = turn.outcome === 'promoted';
  const stateOf = (phase: StepPhase, index: number): StepState => {
    const isAsked = turn.question !== null || (asks && turn.outcome === null);
    if (phase === 'asking' && !isAsked && (index < reached || turn.outcome === null)) return 'skipped';
    if (index < reached || isPromoted) return 'done';
    if (index > reached) return 'open';
    return turn.outcome === null ? 'now' : 'ended';
  };
  return steps.map(({ phase, name }, index) => ({ phase, name, state: stateOf(phase, index) }));
}

/** The place of the phase that a turn is in, or in which it ended; −1 before the first. */
function reachedOf(turn: Turn): number {
  if (turn.phase !== 'ended') return steps.findIndex(({ phase }) => phase === turn.phase);
  if (turn.rollout !== null) return 4;
  if (turn.question !== null) return turn.question.answer === 'yes' ? 4 : 3;
  if (turn.gate_id !== null) return 2;
  if (turn.training_job_id !== null) return 1;
  return turn.started_at === null ? -1 : 0;
}
