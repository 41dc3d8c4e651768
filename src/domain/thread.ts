import { formatTimestamp } from '../util/timestamp.ts';
import type { Micros } from './calls/call-row.ts';

/** A thread, aggregated over its turns. At least one of them has ended. */
export type Thread = {
  threadId: string;
  turnCount: number;
  startTime: Micros;
  lastUpdated: Micros;
  firstTurnId: string;
  lastTurnId: string;
  /** Of the turns that have ended. */
  p50TurnDurationMs: number;
  p99TurnDurationMs: number;
};

/** Selects threads by their turns. What is missing or null selects all, and so does an empty list of ids. */
export type ThreadsFilter = {
  /** Turns that started after, or before, a time. */
  after?: Micros | null;
  before?: Micros | null;
  ids?: string[] | null;
  /** Also takes the topmost call of a trace without a root as a turn, if it has a thread and no turn. */
  withTopmostCalls?: boolean | null;
};

/** A thread in a response. */
export function threadJson(thread: Thread): string {
  return JSON.stringify({
    thread_id: thread.threadId,
    turn_count: thread.turnCount,
    start_time: formatTimestamp(thread.startTime),
    last_updated: formatTimestamp(thread.lastUpdated),
    first_turn_id: thread.firstTurnId,
    last_turn_id: thread.lastTurnId,
    p50_turn_duration_ms: thread.p50TurnDurationMs,
    p99_turn_duration_ms: thread.p99TurnDurationMs,
  });
}
