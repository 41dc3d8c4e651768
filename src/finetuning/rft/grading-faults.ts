import type { JobEvents } from '../job-events.ts';

/** How many different reasons are reported. */
const faultsMax = 10;

/** Reports why answers have no score, each reason once: without it, a wrong name in a grader looks like a reward of 0. */
export function openGradingFaults(events: JobEvents): (fault: string | null) => Promise<void> {
  const reported = new Set<string>();
  return async (fault) => {
    if (fault === null || reported.has(fault) || reported.size === faultsMax) return;
    reported.add(fault);
    const message = `An answer cannot be graded, and its reward is 0: ${fault}`;
    await events.add({ type: 'warning', data: { message } });
  };
}
