import { isRunning, type Loop } from '../../api/loops.ts';
import { TimeUntil } from '../../components/TimeUntil.tsx';
import { formatDuration } from '../../format/numbers.ts';

/** When the next turn of a loop begins. */
export function NextTurn({ loop: { plan, latest_turn: latest, paused_at: pausedAt } }: { loop: Loop }) {
  if (pausedAt !== null) return <span>when the loop is resumed</span>;
  const time = nextTurnAt(plan.every_hours ?? null, latest);
  if (time === null) return <span>when somebody starts it</span>;
  return <TimeUntil time={time} due={latest && isRunning(latest) ? 'after this one' : 'now'} />;
}

/** `every 7 days` */
export function scheduleText(everyHours: number | null | undefined): string {
  if (everyHours == null) return 'when somebody starts a turn';
  if (everyHours === 24) return 'every day';
  if (everyHours % 24 === 0) return `every ${everyHours / 24} days`;
  return `every ${formatDuration(everyHours * 3_600_000)}`;
}

function nextTurnAt(everyHours: number | null, latest: Loop['latest_turn']): Date | null {
  if (latest?.phase === 'waiting') return new Date(latest.starts_at);
  if (everyHours === null || latest === null) return null;
  return new Date(Date.parse(latest.started_at ?? latest.starts_at) + everyHours * 3_600_000);
}
