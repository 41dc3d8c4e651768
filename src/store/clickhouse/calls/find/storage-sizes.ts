import type { FoundCall } from '../../../../domain/calls/found-call.ts';
import type { ClickHouse } from '../../clickhouse.ts';
import { storageSizeSql } from '../sql/found-call-sql.ts';

/** Adds the bytes of the whole trace to root calls. */
export async function withTraceSizes(
  clickhouse: ClickHouse,
  projectId: string,
  calls: FoundCall[],
): Promise<FoundCall[]> {
  const traceIds = new Set(calls.filter(isRoot).map(({ traceId }) => traceId));
  if (traceIds.size === 0) return calls;
  const rows = await clickhouse.query<{ traceId: string; bytes: number }>(
    `SELECT trace_id AS traceId, sum(bytes) AS bytes
     FROM (
       SELECT trace_id, is_started, is_deleted, ${storageSizeSql} AS bytes
       FROM calls
       WHERE project_id = {projectId:String} AND trace_id IN {traceIds:Array(String)}
       ORDER BY version DESC
       LIMIT 1 BY started_at, id
     )
     WHERE is_started = 1 AND is_deleted = 0
     GROUP BY trace_id`,
    { projectId, traceIds: [...traceIds] },
  );
  const bytesByTrace = new Map(rows.map(({ traceId, bytes }) => [traceId, bytes]));
  return calls.map((call) =>
    isRoot(call) ? { ...call, totalStorageSizeBytes: bytesByTrace.get(call.traceId) ?? null } : call,
  );
}

function isRoot({ parentId }: FoundCall): boolean {
  return parentId === '';
}
