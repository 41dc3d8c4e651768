import type { ClickHouse } from '../../clickhouse.ts';

export type EndedCall = { callId: string; version: number };

type Window = {
  projectId: string;
  /** Only calls that started after this time (microseconds) are read, so that the primary index applies. */
  startedAfter: number;
  /** Calls written after this place, and before a version that no running insert brings. */
  after: { version: number; callId: string };
  writtenBefore: number;
  /** Only calls that ended after this time (microseconds). */
  endedAfter: number;
  limit: number;
};

/** Calls that have ended, in the order in which they were last written. */
export function findEndedCalls(clickhouse: ClickHouse, window: Window): Promise<EndedCall[]> {
  const { projectId, startedAfter, after, writtenBefore, endedAfter, limit } = window;
  return clickhouse.query<EndedCall>(
    `SELECT id AS callId, max(calls.version) AS version
     FROM calls
     WHERE project_id = {projectId:String}
       AND started_at > fromUnixTimestamp64Micro({startedAfter:Int64})
       AND calls.version >= {from:UInt64} AND calls.version < {writtenBefore:UInt64}
       AND ended_at > fromUnixTimestamp64Micro({endedAfter:Int64}) AND is_started = 1 AND is_deleted = 0
     GROUP BY id
     HAVING (version, callId) > ({from:UInt64}, {callId:String})
     ORDER BY version, callId
     LIMIT {limit:UInt32}`,
    { projectId, startedAfter, from: after.version, callId: after.callId, writtenBefore, endedAfter, limit },
  );
}
