import type { Context } from '../../context.ts';
import { Failure } from '../../util/failures.ts';

const reasonsMax = 5;
const everyMs = 10_000;

/**
 * Logs how many items of batches were refused, with the first of the reasons. The first refusal is logged at once, and
 * those of the next ten seconds together: a client can send thousands of wrong items a second. Reasons are fields and rules:
 * the answer alone quotes values.
 */
export function openRefusalLog(log: Pick<Context['log'], 'warn'>): (outcomes: readonly unknown[]) => void {
  let refused = 0;
  const reasons = new Set<string>();
  let isQuiet = false;

  function write(): void {
    isQuiet = refused > 0;
    if (!isQuiet) return;
    log.warn({ refused, reasons: [...reasons] }, 'items of batches of calls were refused');
    refused = 0;
    reasons.clear();
    setTimeout(write, everyMs).unref();
  }

  return (outcomes) => {
    const failures = outcomes.filter((outcome) => outcome instanceof Failure);
    refused += failures.length;
    for (const { rule } of failures) {
      if (reasons.size === reasonsMax) break;
      reasons.add(rule);
    }
    if (!isQuiet) write();
  };
}
