import { invalidInput } from '../../util/failures.ts';
import type { Measure, Metric } from './plan.ts';

/** The repeats of a row: the value of each answer, null for one that failed. */
type Repeats = readonly (number | null)[];

/** A row of a thread, as both models answered it. */
export type PairedRow = { incumbent: Repeats; candidate: Repeats };

/**
 * The difference of a thread: repeats are averaged to a row, and rows to the thread, because a test would take answers that depend on
 * each other for independent ones. Positive if the candidate is better. Null without a row, for slices that a thread does not
 * touch.
 *
 * @throws Failure for a value outside the bounds of a score, or a row without an answer
 */
export function threadDifference({ measure, better }: Metric, rows: readonly PairedRow[]): number | null {
  if (rows.length === 0) return null;
  const sign = better === 'higher' ? 1 : -1;
  const candidate = mean(rows.map((row) => rowValue(measure, better, row.candidate)));
  if (measure.kind === 'quantile') return sign * (candidate - (1 - measure.quantile));
  return sign * (candidate - mean(rows.map((row) => rowValue(measure, better, row.incumbent))));
}

function rowValue(measure: Measure, better: Metric['better'], repeats: Repeats): number {
  if (repeats.length === 0)
    throw invalidInput('A row has no answer: every row needs at least one repeat of each model.');
  return mean(repeats.map((value) => (value === null ? failed(measure, better) : bounded(measure, value))));
}

/** A failed answer has the score 0, or the worst if lower scores are better, and is above every limit of cost and latency. */
function failed(measure: Measure, better: Metric['better']): number {
  switch (measure.kind) {
    case 'score':
      return better === 'lower' ? measure.high : Math.min(measure.high, Math.max(measure.low, 0));
    case 'capped':
      return better === 'lower' ? measure.cap : 0;
    case 'share-above':
    case 'quantile':
      return better === 'lower' ? 1 : 0;
    default:
      return measure satisfies never;
  }
}

function bounded(measure: Measure, value: number): number {
  switch (measure.kind) {
    case 'score':
      if (value >= measure.low && value <= measure.high) return value;
      throw invalidInput(`The score ${value} is outside of the plan's bounds, ${measure.low} to ${measure.high}.`);
    case 'capped':
      return Math.min(measure.cap, Math.max(0, value));
    case 'share-above':
    case 'quantile':
      return value > measure.limit ? 1 : 0;
    default:
      return measure satisfies never;
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
