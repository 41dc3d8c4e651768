import { type Unpriced, unpricedIn } from '../../api/call-fields.ts';
import { numberOf } from '../../format/json.ts';
import type { Stats } from './dashboard-query.ts';

/** The calls of a group over time, or all calls. Values are in the order of `times`. */
export type MeasuredGroup = {
  name: string;
  title: string;
  calls: number[];
  failed: number[];
  median: (number | null)[];
  slow: (number | null)[];
  input: number[];
  output: number[];
  cost: number[];
  unpriced: Unpriced;
};

export type Measured = { times: number[]; groups: MeasuredGroup[] };

/** The buckets of an answer, group by group. */
export function measuredOf(stats: Stats): Measured {
  const calls = Map.groupBy(stats.call_buckets ?? [], ({ group }) => String(group ?? ''));
  const usage = Map.groupBy(stats.usage_buckets ?? [], ({ group }) => String(group ?? ''));
  const groups = stats.groups ?? [{ name: '', title: '', calls: 0 }];
  const times = (calls.values().next().value ?? []).map(secondsOf);
  return {
    times,
    groups: groups.map(({ name, title }) => {
      const buckets = calls.get(name) ?? [];
      const used = Map.groupBy(usage.get(name) ?? [], secondsOf);
      const counts = (field: string) => buckets.map((bucket) => numberAt(bucket, field) ?? 0);
      const levels = (field: string) => buckets.map((bucket) => numberAt(bucket, field));
      const sums = (field: string) =>
        times.map((time) => sum((used.get(time) ?? []).map((bucket) => numberAt(bucket, field) ?? 0)));
      return {
        ...{ name, title, calls: counts('sum_call_count'), failed: counts('sum_error_count') },
        ...{ median: levels('p50_latency_ms'), slow: levels('p95_latency_ms') },
        unpriced: unpricedIn((usage.get(name) ?? []).map((bucket) => ({ [String(bucket.model)]: bucket }))),
        ...{ input: sums('sum_input_tokens'), output: sums('sum_output_tokens'), cost: sums('sum_total_cost') },
      };
    }),
  };
}

/** What the costs of all groups leave out. */
export function unpricedOfAll(groups: MeasuredGroup[]): Unpriced {
  const models = new Set(groups.flatMap(({ unpriced }) => unpriced.models));
  return {
    models: [...models],
    isAtLeast: groups.some(({ unpriced }) => unpriced.isAtLeast),
    isEstimate: groups.some(({ unpriced }) => unpriced.isEstimate),
  };
}

export function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

type Bucket = Record<string, unknown>;

function secondsOf({ timestamp }: Bucket): number {
  return Date.parse(String(timestamp)) / 1000;
}

function numberAt(bucket: Bucket, field: string): number | null {
  return numberOf(bucket[field]);
}
