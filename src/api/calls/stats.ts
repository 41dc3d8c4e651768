import type { Context } from '../../context.ts';
import type * as contract from '../../contract/calls/stats.ts';
import { parseOptionalQuery } from '../../domain/query/parse-query.ts';
import type { Handler } from '../../http/bind.ts';
import { formatTimestamp } from '../../util/timestamp.ts';
import { projectForRead } from '../project.ts';

export function callsStats(context: Context): Handler<typeof contract.callsStats> {
  return async ({ body, caller }) => {
    const { filter, start, end, granularity, timezone, usage_metrics, call_metrics } = body;
    const project = await projectForRead(context, caller, body.project_id);
    const wanted = { usageMetrics: usage_metrics ?? [], callMetrics: call_metrics ?? [] };
    const query = parseOptionalQuery(body.query);
    const stats = await context.services.calls.stats({
      project,
      filter,
      query,
      start,
      end,
      granularity,
      timezone,
      ...wanted,
    });
    return {
      start: formatTimestamp(stats.range.start),
      end: formatTimestamp(stats.range.end),
      granularity: stats.granularity,
      timezone,
      usage_buckets: stats.usageBuckets,
      call_buckets: stats.callBuckets,
    };
  };
}
