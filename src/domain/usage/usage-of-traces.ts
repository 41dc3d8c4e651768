import { callsWithoutParent } from '../calls/topmost.ts';
import type { RolledUsage } from './roll-up.ts';
import type { UsageCall } from './usage-call.ts';
import { addUsage, type UsageByModel } from './usage-sum.ts';

/**
 * The usage of all these calls by trace, each token once: what is below the calls whose parent is not here, together. A
 * trace can have several of them, if its root was exported elsewhere.
 */
export function usageOfTraces(
  calls: UsageCall[],
  rolled: ReadonlyMap<string, Pick<RolledUsage, 'countedOnce'>>,
): Map<string, UsageByModel> {
  const totals = new Map<string, UsageByModel>();
  for (const { id, traceId } of callsWithoutParent(calls)) {
    const total = totals.get(traceId) ?? new Map();
    addUsage(total, rolled.get(id)!.countedOnce);
    totals.set(traceId, total);
  }
  return totals;
}
