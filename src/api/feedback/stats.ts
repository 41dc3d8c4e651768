import type { Context } from '../../context.ts';
import { badRequest } from '../../contract/errors.ts';
import type { feedbackStats } from '../../contract/feedback/stats.ts';
import type { Micros } from '../../domain/calls/call-row.ts';
import { type Metric, toMetrics } from '../../domain/feedback/metric.ts';
import { emptyAggregate } from '../../domain/stats/aggregate.ts';
import { checkAnswerSize } from '../../domain/stats/answer-size.ts';
import { bucketStarts, timeBuckets } from '../../domain/stats/time-buckets.ts';
import { timeRange } from '../../domain/stats/time-range.ts';
import type { Handler } from '../../http/bind.ts';
import { feedbackStats as readStats, type StatsRow } from '../../store/clickhouse/feedback/feedback-stats.ts';
import { formatTimestamp, nowMicroseconds } from '../../util/timestamp.ts';
import { zonedTime } from '../../util/zoned-time.ts';

export function showFeedbackStats(context: Pick<Context, 'clickhouse' | 'identity'>): Handler<typeof feedbackStats> {
  return async ({ body, caller }) => {
    const projectId = await context.identity.projectForRead(caller, body.project_id);
    const range = timeRange(body.start, body.end ?? nowMicroseconds());
    const metrics = toMetrics(body.metrics ?? []);
    const answer = {
      start: formatTimestamp(range.start),
      end: formatTimestamp(range.end),
      timezone: body.timezone,
    };
    if (metrics.length === 0) return { ...answer, granularity: 3600, buckets: [], window_stats: null };
    const buckets = timeBuckets(range.start, range.end, body.granularity, offsetAt(range.start, body.timezone));
    const values = metrics.reduce((sum, { aggregates }) => sum + aggregates.length, 0);
    checkAnswerSize(buckets.count, values);
    const { byBucket, whole } = await readStats(context.clickhouse, {
      ...{ projectId, range, feedbackType: body.feedback_type, triggerRef: body.trigger_ref },
      ...{ metrics, buckets },
    });
    const shown = bucketStarts(buckets).map((start, i) => bucketAnswer(start * 1e6, metrics, byBucket.get(i)));
    const { granularity } = buckets;
    return { ...answer, granularity, buckets: shown, window_stats: windowAnswer(metrics, whole) };
  };
}

/** How many seconds the clocks of a zone are ahead of UTC. @throws ApiError 400 for a zone that there is not. */
function offsetAt(at: Micros, timezone: string): number {
  try {
    return zonedTime(timezone).offset(Math.floor(at / 1e6));
  } catch {
    throw badRequest(`Unknown timezone ${timezone}: expected a name such as UTC or Europe/Berlin`);
  }
}

function bucketAnswer(start: Micros, metrics: Metric[], row: StatsRow | undefined) {
  const values = metrics.flatMap(({ slug, aggregates }, i) =>
    aggregates.map((each, j) => [`${each.name}_${slug}`, row ? row.values[i]![j] : emptyAggregate(each.kind)]),
  );
  return { timestamp: formatTimestamp(start), ...Object.fromEntries(values), count: row?.count ?? 0 };
}

function windowAnswer(metrics: Metric[], whole: StatsRow | null) {
  const bySlug = metrics.map(({ slug, aggregates }, i) => [
    slug,
    Object.fromEntries(
      aggregates.map((each, j) => [each.name, whole ? whole.values[i]![j] : emptyAggregate(each.kind)]),
    ),
  ]);
  return Object.fromEntries(bySlug);
}
