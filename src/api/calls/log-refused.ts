import type { Context } from '../../context.ts';
import { Failure } from '../../util/failures.ts';

const reasonsMax = 5;

/** One line for each request, with the first of its reasons: a batch may have 100,000 items that are refused. */
export function logRefused(log: Context['log'], outcomes: readonly unknown[]): void {
  const failures = outcomes.filter((outcome) => outcome instanceof Failure);
  if (failures.length === 0) return;
  const reasons = [...new Set(failures.map(({ message }) => message))].slice(0, reasonsMax);
  log.warn({ refused: failures.length, reasons }, 'items of a batch of calls were refused');
}
