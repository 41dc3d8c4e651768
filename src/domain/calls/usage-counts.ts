import { usageCounts } from '../../contract/calls/summary.ts';
import { brokenRule } from '../../util/failures.ts';
import { JsonNumber, parseLossless } from '../../util/json/lossless.ts';

/**
 * Checks the token counts in a summary whose shape is already validated: they are added up as numbers, and sums of
 * rounded numbers would differ from the displayed counts.
 * @throws Failure for a count that a number does not represent exactly.
 */
export function checkUsageCounts(summary: string): void {
  if (!summary.includes('"usage"') || !mayHoldLargeNumber.test(summary)) return;
  const usage = membersOf(membersOf(parseLossless(summary)).get('usage'));
  for (const [model, counts] of usage) {
    for (const name of usageCounts) checkCount(model, name, membersOf(counts).get(name));
  }
}

const mayHoldLargeNumber = /\d{16}|\de\+?\d/i;

function checkCount(model: string, name: string, count: unknown): void {
  if (!(count instanceof JsonNumber) || Number.isSafeInteger(Number(count.text))) return;
  throw brokenRule(
    `a count ${name} of summary.usage is out of range`,
    `summary.usage[${JSON.stringify(model.slice(0, 100))}].${name} must lie between ±${Number.MAX_SAFE_INTEGER}, ` +
      `found ${count.text.slice(0, 40)}`,
  );
}

function membersOf(value: unknown): Map<string, unknown> {
  return value instanceof Map ? value : new Map();
}
