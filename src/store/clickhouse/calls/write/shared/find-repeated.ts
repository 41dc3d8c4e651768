import { couldBeRepeated, repeatedRequests } from '../../../../../domain/usage/repeated-requests.ts';
import { reportsTokens } from '../../../../../domain/usage/summary-usage.ts';
import type { UsageCall } from '../../../../../domain/usage/usage-call.ts';
import type { ClickHouse } from '../../../clickhouse.ts';
import { newestOfTraces } from '../../find/newest-of-traces.ts';
import { usageCallColumns } from '../../sql/usage-column.ts';
import type { CallWrite } from '../call-write.ts';
import { toUsageCall } from '../to-usage-call.ts';
import type { TouchedTrace } from './touched-traces.ts';

/**
 * Marks for requests that two calls of a trace report. It is called after the calls are visible: of two processes that store
 * the two reports, at least one finds both. Most traces are ruled out by what little is known of their other calls.
 */
export async function findRepeated(clickhouse: ClickHouse, traces: TouchedTrace[]): Promise<CallWrite[]> {
  const marks: CallWrite[] = [];
  const unclear = traces.filter(mayHaveRepeated);
  for (const [projectId, of] of Map.groupBy(unclear, (trace) => trace.projectId)) {
    const traceIds = of.map(({ traceId }) => traceId);
    const stored = await findUsage(clickhouse, projectId, traceIds);
    for (const [, ofTrace] of Map.groupBy(stored, ({ traceId }) => traceId)) {
      const repeated = repeatedRequests(ofTrace);
      for (const { id, isRepeated } of ofTrace) {
        if (isRepeated === repeated.has(id)) continue;
        marks.push({ projectId, id, part: { kind: 'repeated', isRepeated: !isRepeated } });
      }
    }
  }
  return marks;
}

/** Whether a mark of the trace may have to change. */
function mayHaveRepeated({ calls, others }: TouchedTrace): boolean {
  if (calls.some(({ row }) => row.isDeleted || row.isRepeated)) return true;
  // A call without tokens may stand between two that have some.
  if (others?.haveRepeated || others?.haveTokensOfSpans || calls.length > callsMax) return true;
  const counted = calls.filter(({ row }) => reportsTokens(row.summary));
  if (others?.haveTokens) return counted.some(({ row }) => row.mapperVersion > 0); // an SDK reports each request once
  if (counted.length < 2) return false;
  const usage = calls.map(({ row }) => toUsageCall(row));
  return others === null ? repeatedRequests(usage).size > 0 : couldBeRepeated(usage);
}

type StoredUsage = UsageCall & { isRepeated: boolean };

/** The visible calls of these traces, with the tokens that they report; the newest of each trace. */
function findUsage(clickhouse: ClickHouse, projectId: string, traceIds: string[]): Promise<StoredUsage[]> {
  return clickhouse.query<StoredUsage>(
    `${newestOfTraces(`toBool(is_repeated) AS isRepeated, ${usageCallColumns}`)}
     ORDER BY startedAt DESC
     LIMIT {callsMax:UInt32} BY traceId`,
    { projectId, traceIds, callsMax },
  );
}

/** Of one trace. Both reports of a request arrive within seconds of each other. */
const callsMax = 500;
