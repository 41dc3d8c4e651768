import type { CallKey, CallRow } from '../../../../../domain/calls/call-row.ts';
import type { PartLine } from '../../../../../domain/calls/part-line.ts';
import { repeatedRequests } from '../../../../../domain/usage/repeated-requests.ts';
import { reportsTokens } from '../../../../../domain/usage/summary-usage.ts';
import type { UsageCall } from '../../../../../domain/usage/usage-call.ts';
import type { ClickHouse } from '../../../clickhouse.ts';
import { newestOfTraces } from '../../find/newest-of-traces.ts';
import { usageCallColumns } from '../../sql/usage-column.ts';
import type { CallWrite } from '../call-write.ts';

type Touched = CallKey & { row: CallRow; start: PartLine | null };

/**
 * Marks for requests that two calls of a trace report. It is called after the calls are visible: of two processes that store
 * the two reports, at least one finds both.
 */
export async function findRepeated(clickhouse: ClickHouse, calls: Touched[]): Promise<CallWrite[]> {
  const marks: CallWrite[] = [];
  const counted = calls.filter(({ row, start }) => start !== null && (row.isDeleted || reportsTokens(row.summary)));
  for (const [projectId, of] of Map.groupBy(counted, (call) => call.projectId)) {
    const traceIds = [...new Set(of.map(({ start }) => start!.traceId))];
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
