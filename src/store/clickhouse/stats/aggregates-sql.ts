import type { Aggregation } from '../../../domain/stats/aggregate.ts';
import { aggregateKey, percentilesKey } from '../../../domain/stats/measured.ts';
import type { Wanted } from '../../../domain/stats/wanted.ts';

/** The columns of a `Measured`, from the SQL of each metric's value. Null values do not count. */
export function aggregatesSql<Metric extends string>(
  wanted: Wanted<Metric>[],
  values: Record<Metric, string>,
): string[] {
  return wanted.flatMap(({ metric, aggregations, percentiles }) => {
    const columns = aggregations.map(
      (aggregation) => `${aggregateSql(aggregation, values[metric])} AS ${aggregateKey(aggregation, metric)}`,
    );
    return percentiles.length === 0 ? columns : [...columns, percentilesSql(metric, percentiles, values[metric])];
  });
}

function aggregateSql(aggregation: Aggregation, value: string): string {
  switch (aggregation) {
    case 'sum':
    case 'avg':
    case 'min':
    case 'max':
    case 'count':
      return `${aggregation}(${value})`;
    case 'count_true':
      return `countIf(${value} != 0)`;
    case 'count_false':
      return `countIf(${value} = 0)`;
    default:
      return aggregation satisfies never;
  }
}

/** One state for all percentiles: interpolated, and above a few thousand values per bucket computed from a sample. */
function percentilesSql(metric: string, percentiles: number[], value: string): string {
  const levels = percentiles.map((percentile) => Number((percentile / 100).toPrecision(15))); // 0.999 for 99.9
  return `quantiles(${levels.join(', ')})(${value}) AS ${percentilesKey(metric)}`;
}
