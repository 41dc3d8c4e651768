import { invalidInput } from '../../util/failures.ts';

/** How values are aggregated. */
export type Aggregation = 'sum' | 'avg' | 'min' | 'max' | 'count' | 'count_true' | 'count_false';

/** The result of an aggregate over no values. */
export function emptyAggregate(aggregate: Aggregation | 'percentile'): number | null {
  return aggregate === 'min' || aggregate === 'max' || aggregate === 'percentile' ? null : 0;
}

/** @throws Failure for a percentile outside 0 to 100. */
export function checkPercentile(percentile: number): void {
  if (!(percentile >= 0 && percentile <= 100)) {
    throw invalidInput(`percentiles lie between 0 and 100, found ${percentile}`);
  }
}
