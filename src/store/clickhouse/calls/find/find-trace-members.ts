import type { TraceMember } from '../../../../domain/calls/descendants.ts';
import type { ClickHouse } from '../../clickhouse.ts';

/**
 * All visible calls of the traces that these calls belong to. Reading the newest version at each key is several times
 * faster here than FINAL, which would read the whole project.
 */
export async function findTraceMembers(
  clickhouse: ClickHouse,
  projectId: string,
  ids: string[],
): Promise<TraceMember[]> {
  return clickhouse.query<TraceMember>(
    `SELECT id, parentId, traceId FROM (
       SELECT id, parent_id AS parentId, trace_id AS traceId, is_started, is_deleted
       FROM calls
       WHERE project_id = {projectId:String} AND (id, started_at) IN (
         SELECT id, started_at FROM calls WHERE project_id = {projectId:String} AND trace_id IN (
           SELECT trace_id FROM calls
           WHERE project_id = {projectId:String} AND id IN {ids:Array(String)} AND is_started = 1 AND is_deleted = 0
         )
       )
       ORDER BY version DESC
       LIMIT 1 BY started_at, id
     )
     WHERE is_started = 1 AND is_deleted = 0`,
    { projectId, ids },
  );
}
