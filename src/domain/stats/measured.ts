import { type Aggregation, emptyAggregate } from './aggregate.ts';
import type { Wanted } from './wanted.ts';

/** The calls of one bucket, measured: aggregates under `sum_latency_ms`, all percentiles under `percentiles_latency_ms`. */
export type Measured = { bucket: number; count: number; callGroup?: string; [aggregate: string]: unknown };

export function aggregateKey(aggregation: Aggregation, metric: string): string {
  return `${aggregation}_${metric}`;
}

export function percentilesKey(metric: string): string {
  return `percentiles_${metric}`;
}

/** The values of a bucket in a response; values without calls are 0 or null. */
export function shownValues(wanted: Wanted[], measured: Measured | undefined): Record<string, number | null> {
  const values: Record<string, number | null> = {};
  for (const { metric, aggregations, percentiles } of wanted) {
    for (const aggregation of aggregations) {
      const key = aggregateKey(aggregation, metric);
      values[key] = (measured?.[key] as number | null | undefined) ?? emptyAggregate(aggregation);
    }
    const found = measured?.[percentilesKey(metric)] as (number | null)[] | undefined;
    for (const [index, percentile] of percentiles.entries()) {
      values[`p${percentile}_${metric}`] = found?.[index] ?? emptyAggregate('percentile');
    }
  }
  return values;
}
