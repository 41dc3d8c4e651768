import type { FeedbackMetric } from '../../contract/feedback/stats.ts';
import { invalidInput } from '../../util/failures.ts';
import { checkCount, queryLimits } from '../query/query-limits.ts';
import { type Aggregation, checkPercentile } from '../stats/aggregate.ts';
import { percentilesMax } from '../stats/wanted.ts';
import { askablePath } from './payload-paths.ts';

/** The requested aggregates of the values at one location of payloads. */
export type Metric = {
  path: string[];
  valueType: FeedbackMetric['value_type'];
  /** The path as part of a name. */
  slug: string;
  aggregates: Aggregate[];
};

/** `name` is its name in the response: `avg`, `p99.5`. */
export type Aggregate = { name: string } & ({ kind: Aggregation } | { kind: 'percentile'; percent: number });

/** How much feedback there is in a period, and its aggregates: `values[i][j]` is the aggregate j of the metric i. */
export type MetricValues = { count: number; values: (number | null)[][] };

/** @throws Failure for too many metrics, and for an invalid path or percentile */
export function toMetrics(metrics: FeedbackMetric[]): Metric[] {
  checkCount('metrics', metrics.length, queryLimits.metrics);
  return metrics.map(toMetric);
}

function toMetric(metric: FeedbackMetric): Metric {
  const { json_path: path, value_type: valueType, percentiles = [] } = metric;
  if (!askablePath.test(path)) {
    throw invalidInput(
      `Invalid json_path ${path}: expected keys of letters, digits, underscores and spaces, between dots`,
    );
  }
  checkCount('percentiles of a metric', percentiles.length, percentilesMax);
  const kinds = new Set(metric.aggregations ?? defaults[valueType]);
  return {
    path: stepsOf(path),
    valueType,
    slug: path.replace(/[. ]/g, '_'),
    aggregates: [...[...kinds].map((kind) => ({ name: kind, kind })), ...[...new Set(percentiles)].map(toPercentile)],
  };
}

function stepsOf(path: string): string[] {
  const steps = path.split('.');
  checkCount('steps in a json_path', steps.length, queryLimits.pathSteps);
  return steps;
}

function toPercentile(percent: number): Aggregate {
  checkPercentile(percent);
  return { name: `p${percent}`, kind: 'percentile', percent };
}

const defaults = {
  numeric: ['avg', 'min', 'max'],
  boolean: ['count_true', 'count_false'],
  categorical: ['count'],
} as const;
