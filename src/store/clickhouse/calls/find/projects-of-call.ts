import type { ClickHouse } from '../../clickhouse.ts';

/** The ids of the projects that have a call with this id. */
export async function projectsOfCall(clickhouse: ClickHouse, id: string): Promise<string[]> {
  const rows = await clickhouse.query<{ projectId: string }>(
    `SELECT project_id AS projectId FROM (
       SELECT project_id, is_deleted FROM calls
       WHERE id = {id:String}
       ORDER BY version DESC
       LIMIT 1 BY project_id
     )
     WHERE is_deleted = 0`,
    { id },
  );
  return rows.map(({ projectId }) => projectId);
}
