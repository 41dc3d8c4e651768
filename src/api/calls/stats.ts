import type { Context } from '../../context.ts';
import type { callsStats } from '../../contract/calls/stats.ts';
import { invalidField, unprocessable } from '../../contract/errors.ts';
import type { ProjectId } from '../../contract/ids.ts';
import { checkAnswerSize, countValues } from '../../domain/stats/answer-size.ts';
import { callBucketsJson, usageBucketsJson } from '../../domain/stats/buckets-json.ts';
import { bucketStarts, timeBuckets } from '../../domain/stats/time-buckets.ts';
import { inWholeSeconds, timeRange } from '../../domain/stats/time-range.ts';
import { type UsagePlan, usagePlan } from '../../domain/stats/usage-plan.ts';
import { wantedOf } from '../../domain/stats/wanted.ts';
import type { Handler } from '../../http/bind.ts';
import { measureCalls } from '../../store/clickhouse/stats/call-stats.ts';
import type { StatsScope } from '../../store/clickhouse/stats/stats-conditions.ts';
import { measureUsage } from '../../store/clickhouse/stats/usage-stats.ts';
import { formatTimestamp, nowMicroseconds } from '../../util/timestamp.ts';
import { type ZonedTime, zonedTime } from '../../util/zoned-time.ts';
import { projectPrices } from '../../services/costs/project-prices.ts';

export function measureCallStats(context: Context): Handler<typeof callsStats> {
  return async ({ body, caller }) => {
    const { project_id: projectName, filter, timezone } = body;
    const projectId = await context.identity.projectForRead(caller, projectName);
    const range = timeRange(body.start, body.end ?? nowMicroseconds());
    const counted = inWholeSeconds(range);
    const buckets = timeBuckets(counted.start, counted.end, body.granularity);
    const zone = openTimeZone(timezone);
    const plan = usagePlan(body.usage_metrics ?? []);
    const wanted = wantedOf(body.call_metrics ?? []);
    checkAnswerSize(buckets.count, Math.max(countValues(wanted), countValues(plan.shown)));
    const scope = { projectId, projectName, buckets, filter };
    const timestamps = bucketStarts(buckets).map(zone.write);
    const [usage, calls] = await Promise.all([
      plan.measured.length > 0 ? usageBuckets(context, { ...scope, projectId }, { plan, timestamps }) : [],
      wanted.length > 0 ? measureCalls(context.clickhouse, scope, wanted) : null,
    ]);
    return {
      start: formatTimestamp(range.start),
      end: formatTimestamp(range.end),
      granularity: plan.measured.length + wanted.length > 0 ? buckets.granularity : 0,
      timezone,
      usage_buckets: usage,
      call_buckets: calls ? callBucketsJson(timestamps, wanted, calls) : [],
    };
  };
}

async function usageBuckets(
  context: Context,
  scope: StatsScope & { projectId: ProjectId },
  { plan, timestamps }: { plan: UsagePlan; timestamps: string[] },
): Promise<unknown[]> {
  const [measured, prices] = await Promise.all([
    measureUsage(context.clickhouse, { ...scope, wanted: plan.measured, limit: rowsMax + 1 }),
    projectPrices(context, scope.projectId),
  ]);
  const models = new Set(measured.map(({ model }) => model)).size;
  if (measured.length > rowsMax || models * timestamps.length > rowsMax) {
    throw unprocessable(
      `${models} models in ${timestamps.length} buckets are more than the ${rowsMax} rows of an answer: ask for a coarser granularity or a shorter time`,
    );
  }
  checkAnswerSize(models * timestamps.length, countValues(plan.shown));
  return usageBucketsJson(timestamps, { plan, measured, prices });
}

/** Every bucket is shown for every model, so a few bytes of a request could ask for gigabytes. */
const rowsMax = 100_000;

/** @throws ValidationError for a zone that there is not. */
function openTimeZone(name: string): ZonedTime {
  try {
    return zonedTime(name);
  } catch {
    const msg = `timezone must be an IANA name such as Europe/Berlin, found ${JSON.stringify(name.slice(0, 100))}`;
    throw invalidField('timezone', msg);
  }
}
