import { setTimeout } from 'node:timers/promises';

/**
 * Limits how often rows are inserted into a table: each insert makes a part that the server must merge. The first inserts
 * after a pause are sent at once; under load they are spread over the second, and each has more rows. Each of several
 * processes has its share of the limit.
 * @returns a function that resolves when the next insert into a table may be sent
 */
export function openInsertPace(perSecondMax: number, processes: () => number): (table: string) => Promise<void> {
  /** When recent inserts were or will be sent, by table. */
  const sent = new Map<string, number[]>();
  return async (table) => {
    const now = performance.now();
    const limit = shareOf(perSecondMax, processes());
    const times = (sent.get(table) ?? []).filter((time) => time > now - limit.periodMs);
    sent.set(table, times);
    const at = nextInsert(times, now, limit);
    times.push(at);
    if (at > now) await setTimeout(at - now);
  };
}

const secondMs = 1000;

type Limit = { max: number; periodMs: number };

/** How often one of several processes may insert, which may be less than once a second. */
export function shareOf(perSecondMax: number, processes: number): Limit {
  const share = perSecondMax / processes;
  return { max: Math.max(Math.floor(share), 1), periodMs: Math.max(secondMs, secondMs / share) };
}

/** When the next insert may be sent. The pause grows with the number of inserts in the period before. */
export function nextInsert(times: number[], now: number, { max, periodMs }: Limit): number {
  const last = times.at(-1);
  if (last === undefined) return now;
  const from = Math.max(now, last);
  const recent = times.filter((time) => time > from - periodMs).length;
  const spread = last + (periodMs / max / 5) * recent;
  const allowed = (times.at(-max) ?? Number.NEGATIVE_INFINITY) + periodMs;
  return Math.max(now, spread, allowed);
}
