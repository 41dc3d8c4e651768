import type { Lane, Ticket } from './reads.ts';

type RunState =
  /** In the quick lane, where every read begins. */
  | 'on trial'
  /** In the quick lane although its trial is over: it is in the way of others. */
  | 'overdue'
  /** In the quick lane until the engine has stopped it; it restarts in the long lane. */
  | 'stopped'
  | 'long';

/** A read that has a place in a lane. */
export type RunningRead = {
  ticket: Ticket;
  startedAt: number;
  state: RunState;
  /** Whether it has taken longer than a trial. */
  isLong: boolean;
  stop(): void;
};

export function laneOf({ state }: RunningRead): Lane {
  return state === 'long' ? 'long' : 'quick';
}
