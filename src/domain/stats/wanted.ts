import { invalidInput } from '../../util/failures.ts';
import { checkCount, queryLimits } from '../query/query-limits.ts';
import { type Aggregation, checkPercentile } from './aggregate.ts';

/** The requested aggregates of one metric's values. */
export type Wanted<Metric extends string = string> = {
  metric: Metric;
  aggregations: Aggregation[];
  /** From 0 to 100. */
  percentiles: number[];
};

/**
 * The request's aggregates, once for each metric; the sum by default.
 * @throws Failure for a percentile outside 0 to 100, or too many of them.
 */
export function wantedOf<Metric extends string>(specs: Wanted<Metric>[]): Wanted<Metric>[] {
  checkCount('metrics', specs.length, queryLimits.metrics);
  for (const percentile of specs.flatMap(({ percentiles }) => percentiles)) checkPercentile(percentile);
  const wanted = merge(specs.map(withDefault));
  for (const { metric, percentiles } of wanted) {
    if (percentiles.length <= percentilesMax) continue;
    throw invalidInput(`${metric} can have at most ${percentilesMax} percentiles, found ${percentiles.length}`);
  }
  return wanted;
}

export const percentilesMax = 100;

/** Combines the aggregates requested for the same metric. */
export function merge<Metric extends string>(wanted: Wanted<Metric>[]): Wanted<Metric>[] {
  return [...Map.groupBy(wanted, ({ metric }) => metric)].map(([metric, each]) => ({
    metric,
    aggregations: distinct(each.flatMap(({ aggregations }) => aggregations)),
    percentiles: distinct(each.flatMap(({ percentiles }) => percentiles)),
  }));
}

function withDefault<Metric extends string>({ metric, aggregations, percentiles }: Wanted<Metric>): Wanted<Metric> {
  return { metric, aggregations: aggregations.length + percentiles.length > 0 ? aggregations : ['sum'], percentiles };
}

function distinct<Value>(values: Value[]): Value[] {
  return [...new Set(values)];
}
