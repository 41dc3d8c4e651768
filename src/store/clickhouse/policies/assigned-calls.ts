import { parsePlain } from '../../../util/json/parse.ts';
import type { ClickHouse } from '../clickhouse.ts';

/** A call that has ended, with what `attributes.heddle.assignment` says. Times are in microseconds. */
export type AssignedCall = {
  callId: string;
  writeVersion: number;
  endedAt: number;
  assignment: Record<string, unknown>;
};

type Window = {
  projectId: string;
  policyId: string;
  /** Only calls that started after this time are read, so that the primary index applies. */
  startedAfter: number;
  /** Calls written after this place, and before a version that no running insert brings. */
  after: { version: number; callId: string };
  writtenBefore: number;
  limit: number;
};

/** The ended calls of a policy, in the order in which they were written. A call that is written again comes again. */
export async function findAssignedCalls(clickhouse: ClickHouse, window: Window): Promise<AssignedCall[]> {
  const { projectId, policyId, startedAfter, after, writtenBefore, limit } = window;
  const rows = await clickhouse.query<{ callId: string; writeVersion: string; endedAt: string; assignment: string }>(
    `SELECT id AS callId, calls.version AS writeVersion, toUnixTimestamp64Micro(assumeNotNull(ended_at)) AS endedAt,
       JSONExtractRaw(attributes, 'heddle', 'assignment') AS assignment
     FROM calls
     WHERE project_id = {projectId:String} AND policy_id = {policyId:String}
       AND started_at > fromUnixTimestamp64Micro({startedAfter:Int64})
       AND calls.version >= {from:UInt64} AND calls.version < {writtenBefore:UInt64}
       AND (calls.version, id) > ({from:UInt64}, {callId:String})
       AND isNotNull(ended_at) AND is_started = 1 AND is_deleted = 0
     ORDER BY writeVersion, callId
     LIMIT {limit:UInt32}`,
    { projectId, policyId, startedAfter, from: after.version, callId: after.callId, writtenBefore, limit },
  );
  return rows.map(({ callId, writeVersion, endedAt, assignment }) => ({
    ...{ callId, writeVersion: Number(writeVersion), endedAt: Number(endedAt) },
    assignment: parsePlain(assignment || '{}'),
  }));
}
