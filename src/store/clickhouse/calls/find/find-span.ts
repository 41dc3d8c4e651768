import type { ClickHouse } from '../../clickhouse.ts';

/** The newest stored span of each call with this id, in any project; empty for calls that were sent as calls. */
export async function findSpans(
  clickhouse: ClickHouse,
  id: string,
  projectId: string | null = null,
): Promise<{ projectId: string; otelDump: string }[]> {
  return clickhouse.query(
    `SELECT project_id AS projectId, otel_dump AS otelDump FROM (
       SELECT project_id, otel_dump, is_deleted FROM calls
       WHERE id = {id:String}${projectId === null ? '' : ' AND project_id = {projectId:String}'}
       ORDER BY version DESC
       LIMIT 1 BY project_id
     )
     WHERE is_deleted = 0`,
    projectId === null ? { id } : { id, projectId },
  );
}
