import type { ClickHouse } from '../clickhouse.ts';

/** How many of these rows, each counted once, are stored. */
export async function countStoredRows(clickhouse: ClickHouse, projectId: string, digests: string[]): Promise<number> {
  const [row] = await clickhouse.query<{ count: number }>(
    `SELECT uniqExact(digest) AS count FROM table_rows
     WHERE project_id = {project:String} AND digest IN (SELECT arrayJoin({digests:Array(String)}))`,
    { project: projectId, digests },
  );
  return Number(row!.count); // an aggregate always answers one row
}
