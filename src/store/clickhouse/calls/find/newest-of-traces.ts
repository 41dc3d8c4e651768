/**
 * Selects from the visible calls of traces (the parameters `projectId` and `traceIds`). The newest version at each key is read, which
 * is faster than FINAL; a call may have another version at another time, in which it is of another trace.
 * @param columns must name the trace `traceId`
 */
export function newestOfTraces(columns: string): string {
  return `SELECT * EXCEPT (is_started, is_deleted) FROM (
       SELECT ${columns}, is_started, is_deleted
       FROM calls
       WHERE project_id = {projectId:String} AND (id, calls.started_at) IN (
         SELECT id, started_at FROM calls WHERE project_id = {projectId:String} AND trace_id IN {traceIds:Array(String)}
       )
       ORDER BY version DESC
       LIMIT 1 BY calls.started_at, id
     )
     WHERE is_started = 1 AND is_deleted = 0 AND traceId IN {traceIds:Array(String)}`;
}
