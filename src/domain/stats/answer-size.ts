import { invalidInput } from '../../util/failures.ts';
import type { Wanted } from './wanted.ts';

/** A response contains every bucket with every requested value, so a small request could ask for gigabytes. */
const valuesMax = 500_000;

/** @throws Failure for more values than a response may have */
export function checkAnswerSize(rows: number, valuesPerRow: number): void {
  if (rows * valuesPerRow <= valuesMax) return;
  throw invalidInput(
    `${rows} buckets of ${valuesPerRow} values each are more than the ${valuesMax} values of an answer: ` +
      'ask for a coarser granularity, a shorter time or fewer metrics',
  );
}

export function countValues(wanted: Wanted[]): number {
  return wanted.reduce((sum, { aggregations, percentiles }) => sum + aggregations.length + percentiles.length, 0);
}
