/** just now · 42 s ago · 5 min ago · 3 h ago · yesterday · 12 Mar · 12 Mar 2024 */
export function formatRelative(time: Date, now = new Date()): string {
  const seconds = Math.round((now.getTime() - time.getTime()) / 1000);
  if (seconds < -5) return formatDate(time, now);
  if (seconds < 5) return 'just now';
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  if (seconds < 7 * 86_400) return `${Math.floor(seconds / 86_400)} d ago`;
  return formatDate(time, now);
}

/** 2026-03-12 14:05:09.123, in the browser's time zone */
export function formatExact(time: Date): string {
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-');
  return `${date} ${formatClock(time)}.${String(time.getMilliseconds()).padStart(3, '0')}`;
}

/** 14:05:09 */
export function formatClock(time: Date): string {
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':');
}

/** The milliseconds between two timestamps of the server; null while the second is missing. */
export function millisecondsBetween(start: string, end: string | null | undefined): number | null {
  return end == null ? null : (microseconds(end) - microseconds(start)) / 1000;
}

/** A timestamp of the server in milliseconds since 1970, with a fraction. */
export function millisecondsOf(timestamp: string): number {
  return microseconds(timestamp) / 1000;
}

/** A timestamp of the server in microseconds, which a `Date` would cut off. */
function microseconds(timestamp: string): number {
  const fraction = /\.(\d+)/.exec(timestamp)?.[1] ?? '';
  const seconds = Math.floor(Date.parse(timestamp) / 1000);
  return seconds * 1_000_000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}

function formatDate(time: Date, now: Date): string {
  const isThisYear = time.getFullYear() === now.getFullYear();
  return time.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: isThisYear ? undefined : 'numeric' });
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
