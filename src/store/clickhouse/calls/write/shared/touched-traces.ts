import type { CallRow } from '../../../../../domain/calls/call-row.ts';
import type { PartLine } from '../../../../../domain/calls/part-line.ts';
import type { ClickHouse } from '../../../clickhouse.ts';
import type { TraceKey } from '../../find/find-trace-calls.ts';

/** A call that a batch has written, and its start. A deleted one has no other fields. */
export type TouchedCall = { row: CallRow; start: PartLine };

/** What a batch has written of a trace, and what is stored of it besides; null for nothing. */
export type TouchedTrace = TraceKey & { calls: TouchedCall[]; others: OtherCalls | null };

/** Whether any of the other calls has this. All their versions count, also those of calls that are deleted. */
type OtherCalls = { haveTokens: boolean; haveTokensOfSpans: boolean; haveRepeated: boolean; haveTopmost: boolean };

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

/** Whether a root represents the trace, and no other call. */
export function hasOnlyRoot({ calls, others }: TouchedTrace): boolean {
  const rows = calls.map(({ row }) => row);
  const isMarked = others?.haveTopmost || rows.some(({ isDeleted, isTopmost }) => isDeleted || isTopmost);
  return !isMarked && rows.some(({ parentId }) => parentId === '');
}

async function findOthers(
  clickhouse: ClickHouse,
  projectId: string,
  calls: TouchedCall[],
): Promise<Map<string, OtherCalls>> {
  const found = await clickhouse.query<OtherCalls & { traceId: string }>(
    `SELECT trace_id AS traceId, toBool(max(notEmpty(usage))) AS haveTokens,
            toBool(max(mapper_version > 0 AND notEmpty(usage))) AS haveTokensOfSpans,
            toBool(max(is_repeated)) AS haveRepeated, toBool(max(is_topmost)) AS haveTopmost
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
 * Calls that started long before or after those of a batch hardly ever report one of their requests, or are below a root among
 * them. Without limits of time, the index over traces would have to rule out all calls of a project.
 */
function timesAround(calls: TouchedCall[]): { from: number; until: number } {
  const now = Date.now() * 1000;
  let [from, until] = [now, 0];
  for (const { row, start } of calls) {
    from = Math.min(from, start.startedAt!);
    until = Math.max(until, start.startedAt!, row.endedAt ?? now);
  }
  return { from: from - apartMaxUs, until: until + apartMaxUs };
}

const apartMaxUs = 60 * 60 * 1_000_000;
