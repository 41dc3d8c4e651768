import type { Context } from '../../context.ts';
import type { feedbackStats } from '../../contract/feedback/stats.ts';
import { emptyValue, type Metric, toMetric } from '../../domain/feedback/metric.ts';
import { firstBucket, granularityOf, statsWindow } from '../../domain/feedback/stats-window.ts';
import type { Handler } from '../../http/bind.ts';
import { feedbackStats as readStats, type StatsRow } from '../../store/clickhouse/feedback/feedback-stats.ts';
import { formatTimestamp, nowMicroseconds } from '../../util/timestamp.ts';

export function showFeedbackStats(context: Pick<Context, 'clickhouse' | 'identity'>): Handler<typeof feedbackStats> {
  return async ({ body, caller }) => {
    const projectId = await context.identity.projectForRead(caller, body.project_id);
    const window = statsWindow(body.start, body.end ?? nowMicroseconds());
    const metrics = (body.metrics ?? []).map(toMetric);
    const answer = {
      start: formatTimestamp(window.start),
      end: formatTimestamp(window.end),
      timezone: body.timezone,
    };
    if (metrics.length === 0) return { ...answer, granularity: 3600, buckets: [], window_stats: null };
    const granularity = granularityOf(window, body.granularity);
    const widthMicros = granularity * 1e6;
    const first = firstBucket(window.start, granularity, body.timezone);
    const { buckets, whole } = await readStats(context.clickhouse, {
      ...{ projectId, window, feedbackType: body.feedback_type, triggerRef: body.trigger_ref },
      ...{ metrics, first, widthMicros },
    });
    const shown = [];
    for (let i = 0; first + i * widthMicros < window.end; i++) {
      shown.push(bucketAnswer(first + i * widthMicros, metrics, buckets.get(i)));
    }
    return { ...answer, granularity, buckets: shown, window_stats: windowAnswer(metrics, whole) };
  };
}

function bucketAnswer(start: number, metrics: Metric[], row: StatsRow | undefined) {
  const values = metrics.flatMap(({ slug, aggregates }, i) =>
    aggregates.map((each, j) => [`${each.name}_${slug}`, row ? row.values[i]![j] : emptyValue(each)]),
  );
  return { timestamp: formatTimestamp(start), ...Object.fromEntries(values), count: row?.count ?? 0 };
}

function windowAnswer(metrics: Metric[], whole: StatsRow | null) {
  const bySlug = metrics.map(({ slug, aggregates }, i) => [
    slug,
    Object.fromEntries(aggregates.map((each, j) => [each.name, whole ? whole.values[i]![j] : emptyValue(each)])),
  ]);
  return Object.fromEntries(bySlug);
}
