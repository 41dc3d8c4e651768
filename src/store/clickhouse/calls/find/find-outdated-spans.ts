import type { ClickHouse } from '../../clickhouse.ts';

export type CallPlace = { projectId: string; startedAt: number; id: string };

/** Calls created from spans by a different version of the mapper, in key order, after the given key. */
export async function findOutdatedSpans(
  clickhouse: ClickHouse,
  mapperVersion: number,
  after: CallPlace,
  limit: number,
): Promise<CallPlace[]> {
  return clickhouse.query<CallPlace>(
    `SELECT DISTINCT project_id AS projectId, toUnixTimestamp64Micro(started_at) AS startedAt, id
     FROM calls
     WHERE mapper_version NOT IN (0, {mapperVersion:UInt16})
       AND (project_id, started_at, id) > ({projectId:String}, fromUnixTimestamp64Micro({startedAt:Int64}), {id:String})
     ORDER BY project_id, started_at, id
     LIMIT {limit:UInt32}`,
    { mapperVersion, ...after, startedAt: String(after.startedAt), limit },
  );
}
