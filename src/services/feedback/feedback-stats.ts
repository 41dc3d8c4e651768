import type { FeedbackMetric } from '../../contract/feedback/stats.ts';
import type { ProjectId } from '../../contract/ids.ts';
import type { Micros } from '../../domain/calls/call-row.ts';
import { type Metric, type MetricValues, toMetrics } from '../../domain/feedback/metric.ts';
import { checkAnswerSize } from '../../domain/stats/answer-size.ts';
import { type SecondsAhead, type TimeBuckets, timeBuckets } from '../../domain/stats/time-buckets.ts';
import { type TimeRange, timeRange } from '../../domain/stats/time-range.ts';
import type { ClickHouse } from '../../store/clickhouse/clickhouse.ts';
import { feedbackStats } from '../../store/clickhouse/feedback/feedback-stats.ts';
import { invalidInput } from '../../util/failures.ts';
import { nowMicroseconds } from '../../util/timestamp.ts';
import { zonedTime } from '../../util/zoned-time.ts';

export type FeedbackStatsQuery = {
  projectId: ProjectId;
  feedbackType: string | null;
  triggerRef: string | null;
  start: Micros;
  /** Default: now. */
  end: Micros | null;
  /** Length of a bucket in seconds; null chooses one that suits the range. */
  granularity: number | null;
  /** An IANA name: buckets start at multiples of the granularity in this time zone. */
  timezone: string;
  metrics: FeedbackMetric[];
};

export type FeedbackStats = {
  range: TimeRange;
  metrics: Metric[];
  /** Null if nothing is measured. */
  measured: { buckets: TimeBuckets; byBucket: Map<number, MetricValues>; whole: MetricValues | null } | null;
};

/** @throws Failure for an invalid range, zone or metric, or a response that would be too large */
export async function measureFeedback(clickhouse: ClickHouse, query: FeedbackStatsQuery): Promise<FeedbackStats> {
  const { projectId, feedbackType, triggerRef, granularity, timezone } = query;
  const range = timeRange(query.start, query.end ?? nowMicroseconds());
  const metrics = toMetrics(query.metrics);
  if (metrics.length === 0) return { range, metrics, measured: null };
  const buckets = timeBuckets(range.start, range.end, granularity, clocksOf(timezone));
  const values = metrics.reduce((sum, { aggregates }) => sum + aggregates.length, 0);
  checkAnswerSize(buckets.count, values);
  const found = await feedbackStats(clickhouse, { projectId, range, feedbackType, triggerRef, metrics, buckets });
  return { range, metrics, measured: { buckets, ...found } };
}

/** @throws Failure for an unknown time zone. */
function clocksOf(timezone: string): SecondsAhead {
  try {
    return zonedTime(timezone).offset;
  } catch {
    throw invalidInput(`Unknown timezone ${timezone}: expected a name such as UTC or Europe/Berlin`);
  }
}
