import { formatExact, formatRelative } from '../format/time.ts';
import { useNow } from '../hooks/use-now.ts';

/** When something happened: relative, with the exact time on hover. */
export function TimeAgo({ time }: { time: string }) {
  const now = useNow();
  const date = new Date(time);
  return (
    <time dateTime={time} title={formatExact(date)}>
      {formatRelative(date, new Date(Math.max(now, date.getTime())))}
    </time>
  );
}
