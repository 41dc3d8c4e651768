import type { CallRow } from '../../../../../domain/calls/call-row.ts';
import type { PartLine } from '../../../../../domain/calls/part-line.ts';
import type { ClickHouse } from '../../../clickhouse.ts';
import type { TraceKey } from '../../find/find-trace-calls.ts';

/** A call that a batch has written, and its start. A deleted one has no other fields. */
export type TouchedCall = { row: CallRow; start: PartLine };

/** What a batch has written of a trace, and what is stored of it besides; null for nothing. */
export type TouchedTrace = TraceKey & { calls: TouchedCall[]; others: OtherCalls | null };

/** Of all versions of other calls, those of deleted calls included. */
type OtherCalls = {
  /** Whether there are tokens, and whether a span reports some or a call is marked as repeated. */
  haveTokens: boolean;
  haveSpans: boolean;
  /** Whether one is marked as the topmost call. */
  haveTopmost: boolean;
};

/** What else is visible of the traces of these calls, in the time around them. Call it once the calls are visible themselves. */
export async function findTouchedTraces(clickhouse: ClickHouse, calls: TouchedCall[]): Promise<TouchedTrace[]> {
  const traces: TouchedTrace[] = [];
  for (const [projectId, ofProject] of Map.groupBy(calls, ({ row }) => row.projectId)) {
    const byTrace = Map.groupBy(ofProject, ({ start }) => start.traceId);
    const others = await findOthers(clickhouse, projectId, ofProject);
    for (const [traceId, of] of byTrace) {
      traces.push({ projectId, traceId, calls: of, others: others.get(traceId) ?? null });
    }
  }
  return traces;
}

async function findOthers(
  clickhouse: ClickHouse,
  projectId: string,
  calls: TouchedCall[],
): Promise<Map<string, OtherCalls>> {
  const found = await clickhouse.query<OtherCalls & { traceId: string }>(
    `SELECT trace_id AS traceId, toBool(max(notEmpty(usage))) AS haveTokens,
            toBool(max(is_repeated OR (mapper_version > 0 AND notEmpty(usage)))) AS haveSpans,
            toBool(max(is_topmost)) AS haveTopmost
     FROM calls
     WHERE project_id = {projectId:String} AND trace_id IN {traceIds:Array(String)} AND id NOT IN {ids:Array(String)}
       AND started_at BETWEEN fromUnixTimestamp64Micro({from:Int64}) AND fromUnixTimestamp64Micro({until:Int64})
     GROUP BY trace_id`,
    {
      projectId,
      traceIds: [...new Set(calls.map(({ start }) => start.traceId))],
      ids: calls.map(({ row }) => row.id),
      ...timesAround(calls),
    },
  );
  return new Map(found.map(({ traceId, ...others }) => [traceId, others]));
}

/**
 * Calls that started too long before or after those of a batch report none of the same requests, and are not below a root in
 * it. Without limits of time, the index over traces would have to rule out all calls of a project.
 */
function timesAround(calls: TouchedCall[]): { from: number; until: number } {
  const now = Date.now() * 1000;
  let [from, until] = [now, 0];
  for (const { row, start } of calls) {
    from = Math.min(from, start.startedAt!);
    until = Math.max(until, row.endedAt ?? now);
  }
  return { from: from - apartMaxUs, until: until + apartMaxUs };
}

const apartMaxUs = 60 * 60 * 1_000_000;
