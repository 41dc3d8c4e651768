import type { Context } from '../../context.ts';
import type * as contract from '../../contract/feedback/aggregate.ts';
import type { Aggregation } from '../../domain/feedback/aggregation.ts';
import type { Handler, Input } from '../../http/bind.ts';

export function feedbackAggregate({
  identity,
  services: { feedback },
}: Context): Handler<typeof contract.feedbackAggregate> {
  return async ({ body, caller }) => {
    const projectId = await identity.projectForRead(caller, body.project_id);
    const rows = await feedback.aggregate(projectId, aggregationOf(body));
    const names = body.group_by ?? [];
    return {
      time_bucket_seconds: body.time_bucket_seconds,
      after_ms: body.after_ms,
      before_ms: body.before_ms,
      buckets: rows.map((row) => ({
        time_bucket_start_ms: row.bucketStartMs,
        group: Object.fromEntries(names.map((name, i) => [name, row.dimensions[i]!])),
        total_count: row.totalCount,
        scored_count: row.scoredCount,
        tag_counts: row.tagCounts,
        rating_counts: row.ratingCounts,
        rating_sums: row.ratingSums,
      })),
    };
  };
}

function aggregationOf(body: Input<typeof contract.feedbackAggregate>['body']): Aggregation {
  return {
    afterMs: body.after_ms,
    beforeMs: body.before_ms,
    bucketSeconds: body.time_bucket_seconds,
    groupBy: body.group_by,
    feedbackTypes: body.feedback_types,
    monitorIds: body.monitor_ids,
    scorerIds: body.scorer_ids,
    tags: body.tags,
    ratingMin: body.rating_min,
    ratingMax: body.rating_max,
    agentNames: body.span_agent_names,
    spanTypes: body.span_types,
  };
}
