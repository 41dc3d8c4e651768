import type { JobEvents } from '../job-events.ts';

/** Different reasons that are told. */
const faultsMax = 10;

/** Tells why answers have no score, each reason once: without it, a wrong name in a grader looks like a reward of 0. */
export function openGradingFaults(events: JobEvents): (fault: string | null) => Promise<void> {
  const told = new Set<string>();
  return async (fault) => {
    if (fault === null || told.has(fault) || told.size === faultsMax) return;
    told.add(fault);
    const message = `An answer cannot be graded, and its reward is 0: ${fault}`;
    await events.add({ type: 'warning', data: { message } });
  };
}
