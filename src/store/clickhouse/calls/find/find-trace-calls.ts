import type { TraceCall } from '../../../../domain/calls/topmost.ts';
import type { ClickHouse } from '../../clickhouse.ts';

export type PlacedCall = TraceCall & { traceId: string; isTopmost: boolean };

/** The place of each visible call of these traces. The newest version at each key is read, which is faster than FINAL. */
export function findTraceCalls(clickhouse: ClickHouse, projectId: string, traceIds: string[]): Promise<PlacedCall[]> {
  return clickhouse.query<PlacedCall>(
    `SELECT id, parentId, traceId, startedAt, isTopmost FROM (
       SELECT id, parent_id AS parentId, trace_id AS traceId, toUnixTimestamp64Micro(started_at) AS startedAt,
              toBool(is_topmost) AS isTopmost, is_started, is_deleted
       FROM calls
       WHERE project_id = {projectId:String} AND (id, started_at) IN (
         SELECT id, started_at FROM calls WHERE project_id = {projectId:String} AND trace_id IN {traceIds:Array(String)}
       )
       ORDER BY version DESC
       LIMIT 1 BY calls.started_at, id
     )
     WHERE is_started = 1 AND is_deleted = 0 AND traceId IN {traceIds:Array(String)}`,
    { projectId, traceIds },
  );
}

export type TraceKey = { projectId: string; traceId: string };

/**
 * Traces that may have to be settled: of those written in the last ten minutes before the server stopped, those of
 * which no root was written then, and those that a call represents.
 */
export function findUnsettledTraces(clickhouse: ClickHouse): Promise<TraceKey[]> {
  return clickhouse.query<TraceKey>(
    `SELECT project_id AS projectId, trace_id AS traceId
     FROM calls
     WHERE version > (SELECT max(version) FROM calls) - 600000000 AND is_started = 1 AND trace_id != ''
     GROUP BY project_id, trace_id
     HAVING countIf(parent_id = '') = 0 OR max(is_topmost) = 1
     LIMIT 100000`,
  );
}

/** The traces that a call represents, as hashes of `project/trace`; some may have a root by now. */
export async function findMarkedTraces(clickhouse: ClickHouse): Promise<number[]> {
  const [row] = await clickhouse.query<{ hashes: number[] }>(
    `SELECT groupUniqArray(CRC32(concat(project_id, '/', trace_id))) AS hashes FROM calls WHERE is_topmost = 1`,
  );
  return row?.hashes ?? [];
}
