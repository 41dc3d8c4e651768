import type { Micros } from '../../domain/calls/call-row.ts';
import type { CallsFilter } from '../../domain/calls/calls-filter.ts';
import type { Operation } from '../../domain/query/operation.ts';
import { checkAnswerSize, countValues } from '../../domain/stats/answer-size.ts';
import { callBucketsJson, groupedJson, usageBucketsJson } from '../../domain/stats/buckets-json.ts';
import { areSums, chargesOf, sumsOfCharges } from '../../domain/stats/charges.ts';
import type { CallMetric, StatsGrouping, UsageMetric } from '../../domain/stats/metrics.ts';
import { bucketStarts, timeBuckets } from '../../domain/stats/time-buckets.ts';
import { inWholeSeconds, type TimeRange, timeRange } from '../../domain/stats/time-range.ts';
import { type UsagePlan, usagePlan } from '../../domain/stats/usage-plan.ts';
import { type Wanted, wantedOf } from '../../domain/stats/wanted.ts';
import { measureCalls } from '../../store/clickhouse/stats/call-stats.ts';
import { type LargestGroups, largestGroups } from '../../store/clickhouse/stats/largest-groups.ts';
import { measureCharges } from '../../store/clickhouse/stats/measure-charges.ts';
import type { StatsScope } from '../../store/clickhouse/stats/stats-conditions.ts';
import { measureUsage } from '../../store/clickhouse/stats/usage-stats.ts';
import { invalidField, unacceptable } from '../../util/failures.ts';
import { nowMicroseconds } from '../../util/timestamp.ts';
import { type ZonedTime, zonedTime } from '../../util/zoned-time.ts';
import { projectPrices } from '../costs/project-prices.ts';
import type { Deps } from '../deps.ts';
import type { Project } from '../owner.ts';
import { throughQueues } from './through-queues.ts';

type StatsQuery = {
  project: Project;
  filter: CallsFilter | null;
  /** Selects further; all by default. */
  query?: Operation | null;
  /** Calls that started at or after `start` and before `end`. Default of `end`: now. */
  start: Micros;
  end: Micros | null;
  /** Length of a bucket in seconds; null chooses one that suits the range. */
  granularity: number | null;
  /** An IANA name: buckets start at multiples of the granularity in this time zone. */
  timezone: string;
  usageMetrics: Wanted<UsageMetric>[];
  callMetrics: Wanted<CallMetric>[];
  /** Measures each of the largest groups separately. */
  grouping: { by: StatsGrouping; limit: number } | null;
};

type Bucket = Record<string, unknown>;

type StatsOfCalls = {
  range: TimeRange;
  granularity: number;
  usageBuckets: Bucket[];
  callBuckets: Bucket[];
  groups: LargestGroups | null;
};

export type MeasureStats = {
  /**
   * Measures calls in buckets of time: over all calls, and by model.
   * @throws Failure for an invalid range, zone or metric, or a response that would be too large
   */
  stats(query: StatsQuery): Promise<StatsOfCalls>;
};

export function openMeasureStats(deps: Pick<Deps, 'clickhouse' | 'postgres'>): MeasureStats {
  return {
    async stats({ project, filter, query: condition = null, timezone, grouping, ...query }) {
      const range = timeRange(query.start, query.end ?? nowMicroseconds());
      const counted = inWholeSeconds(range);
      const zone = openTimeZone(timezone);
      const buckets = timeBuckets(counted.start, counted.end, query.granularity, zone.offset);
      const plan = usagePlan(query.usageMetrics);
      const wanted = wantedOf(query.callMetrics);
      checkAnswerSize(buckets.count * (grouping?.limit ?? 1), Math.max(countValues(wanted), countValues(plan.shown)));
      const ofProject = { projectId: project.id, projectName: project.name };
      const selection = await throughQueues(deps, { ...ofProject, filter: null, query: condition });
      const all: StatsScope = { ...ofProject, buckets, filter, query: selection.query, groups: null };
      const groups = grouping && (await largestGroups(deps.clickhouse, all, grouping));
      const names = groups?.groups.map(({ name }) => name) ?? null;
      const scope = grouping && names ? { ...all, groups: { by: grouping.by, names } } : all;
      const timestamps = bucketStarts(buckets).map(zone.write);
      const [usage, calls] = await Promise.all([
        plan.shown.length > 0 && names?.length !== 0 ? usageBuckets(deps, { project, scope, plan, timestamps }) : [],
        wanted.length > 0 && names?.length !== 0 ? measureCalls(deps.clickhouse, scope, wanted) : null,
      ]);
      return {
        range,
        granularity: plan.shown.length + wanted.length > 0 ? buckets.granularity : 0,
        usageBuckets: usage,
        callBuckets: calls ? groupedJson(names, calls, (each) => callBucketsJson(timestamps, wanted, each)) : [],
        groups,
      };
    },
  };
}

async function usageBuckets(
  deps: Pick<Deps, 'clickhouse' | 'postgres'>,
  of: { project: Project; scope: StatsScope; plan: UsagePlan; timestamps: string[] },
): Promise<Bucket[]> {
  const { project, scope, plan, timestamps } = of;
  const prices = plan.costs.length > 0 ? await projectPrices(deps, project.id) : null;
  const charged =
    prices && (await measureCharges(deps.clickhouse, { ...scope, boundaries: prices.boundaries, limit: rowsMax + 1 }));
  const measured =
    charged && areSums(plan.shown)
      ? sumsOfCharges(charged)
      : await measureUsage(deps.clickhouse, { ...scope, wanted: plan.shown, limit: rowsMax + 1 });
  const models = new Set(measured.map(({ model, callGroup }) => JSON.stringify([model, callGroup]))).size;
  if ((charged ?? measured).length > rowsMax || models * timestamps.length > rowsMax) {
    throw unacceptable(
      `${models} models in ${timestamps.length} buckets are more than the ${rowsMax} rows of an answer: ask for a coarser granularity or a shorter time`,
    );
  }
  checkAnswerSize(models * timestamps.length, countValues(plan.shown));
  const names = scope.groups?.names ?? null;
  const charges = charged?.map((each) => chargesOf(each, prices!)) ?? [];
  const byGroup = Map.groupBy(charges, ({ callGroup }) => callGroup);
  return groupedJson(names, measured, (each) =>
    usageBucketsJson(timestamps, { plan, measured: each, charges: byGroup.get(each[0]?.callGroup) ?? [] }),
  );
}

/** Every bucket is returned for every model, so a few bytes of a request could ask for gigabytes. */
const rowsMax = 100_000;

/** @throws ValidationError for an unknown time zone. */
function openTimeZone(name: string): ZonedTime {
  try {
    return zonedTime(name);
  } catch {
    const msg = `timezone must be an IANA name such as Europe/Berlin, found ${JSON.stringify(name.slice(0, 100))}`;
    throw invalidField('timezone', msg);
  }
}
