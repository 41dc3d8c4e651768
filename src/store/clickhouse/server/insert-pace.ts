import { setTimeout } from 'node:timers/promises';

/**
 * Limits how often rows are inserted into a table: each insert makes a part that the server must merge. The first inserts
 * after a pause are sent at once; under load they are spread over the second, and each has more rows.
 * @returns a function that resolves when the next insert into a table may be sent
 */
export function openInsertPace(perSecondMax: number): (table: string) => Promise<void> {
  /** When inserts of the last second were or will be sent, by table. */
  const sent = new Map<string, number[]>();
  return async (table) => {
    const now = performance.now();
    const times = (sent.get(table) ?? []).filter((time) => time > now - secondMs);
    sent.set(table, times);
    const at = nextTime(times, now, perSecondMax);
    times.push(at);
    if (at > now) await setTimeout(at - now);
  };
}

const secondMs = 1000;

/** The pause grows with the number of inserts in the second before. */
function nextTime(times: number[], now: number, perSecondMax: number): number {
  const last = times.at(-1);
  if (last === undefined) return now;
  const from = Math.max(now, last);
  const recent = times.filter((time) => time > from - secondMs).length;
  const spread = last + (secondMs / perSecondMax / 5) * recent;
  const allowed = (times.at(-perSecondMax) ?? Number.NEGATIVE_INFINITY) + secondMs;
  return Math.max(now, spread, allowed);
}
