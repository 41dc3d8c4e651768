import { formatDuration } from '../format/numbers.ts';
import { formatExact } from '../format/time.ts';
import { useNow } from '../hooks/use-now.ts';

/** When something will happen: how long until then, with the exact time on hover. @param due what is shown once the time has come */
export function TimeUntil({ time, due = 'now' }: { time: Date; due?: string }) {
  const ms = time.getTime() - useNow();
  return (
    <time dateTime={time.toISOString()} title={formatExact(time)}>
      {ms < 1000 ? due : `in ${formatDuration(ms)}`}
    </time>
  );
}
