import type { Context } from '../../context.ts';
import type * as contract from '../../contract/feedback/aggregate.ts';
import type { Handler } from '../../http/bind.ts';

export function feedbackAggregate({
  identity,
  services: { feedback },
}: Context): Handler<typeof contract.feedbackAggregate> {
  return async ({ body, caller }) => {
    const projectId = await identity.projectForRead(caller, body.project_id);
    const rows = await feedback.aggregate(projectId, body);
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
