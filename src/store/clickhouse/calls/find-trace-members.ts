import type { TraceMember } from '../../../domain/calls/descendants.ts';
import type { ClickHouse } from '../clickhouse.ts';

/** All visible calls of the traces to which these calls belong. */
export async function findTraceMembers(
  clickhouse: ClickHouse,
  projectId: string,
  ids: string[],
): Promise<TraceMember[]> {
  return clickhouse.query<TraceMember>(
    `SELECT id, parent_id AS parentId, trace_id AS traceId
     FROM calls FINAL
     WHERE project_id = {projectId:String} AND is_started = 1 AND trace_id IN (
       SELECT trace_id FROM calls WHERE project_id = {projectId:String} AND id IN {ids:Array(String)}
     )`,
    { projectId, ids },
  );
}
