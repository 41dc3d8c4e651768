import type { Context } from '../../context.ts';
import type * as contract from '../../contract/feedback/stats.ts';
import type { Micros } from '../../domain/calls/call-row.ts';
import type { Metric, MetricValues } from '../../domain/feedback/metric.ts';
import { emptyAggregate } from '../../domain/stats/aggregate.ts';
import { bucketStarts } from '../../domain/stats/time-buckets.ts';
import type { Handler } from '../../http/bind.ts';
import { formatTimestamp } from '../../util/timestamp.ts';

export function feedbackStats({ identity, services: { feedback } }: Context): Handler<typeof contract.feedbackStats> {
  return async ({ body, caller }) => {
    const { start, end, granularity, timezone } = body;
    const { range, metrics, measured } = await feedback.stats({
      projectId: await identity.projectForRead(caller, body.project_id),
      feedbackType: body.feedback_type,
      triggerRef: body.trigger_ref,
      start,
      end,
      granularity,
      timezone,
      metrics: body.metrics ?? [],
    });
    const answer = { start: formatTimestamp(range.start), end: formatTimestamp(range.end), timezone };
    if (measured === null) return { ...answer, granularity: 3600, buckets: [], window_stats: null };
    const { buckets, byBucket, whole } = measured;
    const shown = bucketStarts(buckets).map((at, i) => bucketAnswer(at * 1e6, metrics, byBucket.get(i)));
    return {
      ...answer,
      granularity: buckets.granularity,
      buckets: shown,
      window_stats: windowAnswer(metrics, whole),
    };
  };
}

function bucketAnswer(start: Micros, metrics: Metric[], row: MetricValues | undefined) {
  const values = metrics.flatMap(({ slug, aggregates }, i) =>
    aggregates.map((each, j) => [`${each.name}_${slug}`, row ? row.values[i]![j] : emptyAggregate(each.kind)]),
  );
  return { timestamp: formatTimestamp(start), ...Object.fromEntries(values), count: row?.count ?? 0 };
}

function windowAnswer(metrics: Metric[], whole: MetricValues | null) {
  const bySlug = metrics.map(({ slug, aggregates }, i) => {
    const values = whole?.values[i] ?? [];
    return [slug, Object.fromEntries(aggregates.map((each, j) => [each.name, values[j] ?? null]))];
  });
  return Object.fromEntries(bySlug);
}
