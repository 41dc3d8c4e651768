import { nextInsert, shareOf } from '../../src/store/clickhouse/server/insert-pace.ts';
import type { Clock } from './clock.ts';

/** The pace of a process's inserts, by the rules of heddle, in simulated time. */
export function openInsertPaceAt(clock: Clock, perSecondMax: number, processes: number) {
  const sent = new Map<string, number[]>();
  return async (table: string): Promise<void> => {
    const limit = shareOf(perSecondMax, processes);
    const times = (sent.get(table) ?? []).filter((time) => time > clock.now - limit.periodMs);
    sent.set(table, times);
    const at = nextInsert(times, clock.now, limit);
    times.push(at);
    if (at > clock.now) await clock.sleep(at - clock.now);
  };
}
