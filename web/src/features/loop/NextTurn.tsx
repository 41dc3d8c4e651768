import type { Loop } from '../../api/loops.ts';
import { formatDuration } from '../../format/numbers.ts';
import { formatExact } from '../../format/time.ts';
import { useNow } from '../../hooks/use-now.ts';

/** When the next turn of a loop begins. */
export function NextTurn({ loop: { plan, latest_turn: latest, paused_at: pausedAt } }: { loop: Loop }) {
  const now = useNow();
  const startsAt = nextTurnAt(plan.every_hours ?? null, latest);
  if (pausedAt !== null) return <span>when the loop is resumed</span>;
  if (startsAt === null) return <span>when somebody starts it</span>;
  const ms = startsAt.getTime() - now;
  const isDue = ms < 1000;
  return (
    <time dateTime={startsAt.toISOString()} title={formatExact(startsAt)}>
      {!isDue
        ? `in ${formatDuration(ms)}`
        : latest?.phase === 'ended' || latest?.phase === 'waiting'
          ? 'now'
          : 'after this one'}
    </time>
  );
}

/** `every 24 h` */
export function scheduleText(everyHours: number | null | undefined): string {
  return everyHours == null ? 'when somebody starts a turn' : `every ${formatDuration(everyHours * 3_600_000)}`;
}

function nextTurnAt(everyHours: number | null, latest: Loop['latest_turn']): Date | null {
  if (latest?.phase === 'waiting') return new Date(latest.starts_at);
  if (everyHours === null || latest === null) return null;
  return new Date(Date.parse(latest.started_at ?? latest.starts_at) + everyHours * 3_600_000);
}
