import type { ClickHouse } from '../../clickhouse.ts';

/** The calls of these traces with their parents, and whether they report tokens. Older versions count too. */
export async function findCountedCalls(
  clickhouse: ClickHouse,
  projectId: string,
  traceIds: string[],
): Promise<{ traceId: string; id: string; parentId: string; isCounted: boolean }[]> {
  return clickhouse.query(
    `SELECT DISTINCT trace_id AS traceId, id, parent_id AS parentId, arrayExists(u -> u.3 + u.4 > 0, usage) AS isCounted
     FROM calls
     WHERE project_id = {projectId:String} AND trace_id IN {traceIds:Array(String)} AND is_deleted = 0
     LIMIT {callsMax:UInt32}`,
    { projectId, traceIds, callsMax },
  );
}

const callsMax = 100_000;
