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
