/** The time that the list covers. Open ends are null. */
export type TimeRange = { from: Date | null; to: Date | null };

export const rangeOptions = [
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
  { value: '', label: 'All time' },
] as const;

const hourMs = 3_600_000;
const lengths: Record<string, number> = { '1h': hourMs, '24h': 24 * hourMs, '7d': 168 * hourMs, '30d': 720 * hourMs };

/** Reads what `rangeText` writes, or the name of an option. Anything else covers all time. */
export function parseRange(text: string | undefined, now: number): TimeRange {
  const length = lengths[text ?? ''];
  if (length !== undefined) return { from: new Date(now - length), to: null };
  const [from, to] = (text ?? '').split('..').map((each) => new Date(each));
  const isRange =
    from !== undefined && to !== undefined && !Number.isNaN(from.getTime()) && !Number.isNaN(to.getTime());
  return isRange ? { from, to } : { from: null, to: null };
}

/** A range of two times, as the address keeps it. */
export function rangeText(from: Date, to: Date): string {
  return `${from.toISOString()}..${to.toISOString()}`;
}

/** Seconds of a bucket: a round number of which a range has about sixty. */
export function granularityOf(lengthMs: number): number {
  const wanted = lengthMs / 1000 / 60;
  return granularities.find((each) => each >= wanted) ?? granularities.at(-1)!;
}

const granularities = [60, 300, 900, 1800, 3600, 10_800, 21_600, 43_200, 86_400];
