import type { Context } from '../../context.ts';
import type * as contract from '../../contract/calls/stats.ts';
import { parseOptionalQuery } from '../../domain/query/parse-query.ts';
import type { StatsGrouping } from '../../domain/stats/metrics.ts';
import type { Handler } from '../../http/bind.ts';
import { formatTimestamp } from '../../util/timestamp.ts';
import { projectForRead } from '../project.ts';

export function callsStats(context: Context): Handler<typeof contract.callsStats> {
  /** Users are named by their usernames. */
  const titleOf = async (name: string, by: StatsGrouping) =>
    by === 'user' ? ((await context.identity.findCaller(name))?.username ?? name) : name;
  return async ({ body, caller }) => {
    const { filter, start, end, granularity, timezone, usage_metrics, call_metrics, group_by } = body;
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
      grouping: group_by === null ? null : { by: group_by, limit: body.group_limit },
    });
    return {
      start: formatTimestamp(stats.range.start),
      end: formatTimestamp(stats.range.end),
      granularity: stats.granularity,
      timezone,
      usage_buckets: stats.usageBuckets,
      call_buckets: stats.callBuckets,
      ...(stats.groups && {
        groups: await Promise.all(
          stats.groups.groups.map(async (group) => ({ ...group, title: await titleOf(group.name, group_by!) })),
        ),
        group_count: stats.groups.total,
      }),
    };
  };
}
