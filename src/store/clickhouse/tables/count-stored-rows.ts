import type { ClickHouse } from '../clickhouse.ts';

/** How many of these rows are stored. Queried in pages, because the SQL is built in one step. */
export async function countStoredRows(
  clickhouse: ClickHouse,
  projectId: string,
  distinctDigests: string[],
): Promise<number> {
  let count = 0;
  for (let start = 0; start < distinctDigests.length; start += digestsInPage) {
    count += await countPage(clickhouse, projectId, distinctDigests.slice(start, start + digestsInPage));
  }
  return count;
}

const digestsInPage = 10_000;

async function countPage(clickhouse: ClickHouse, projectId: string, digests: string[]): Promise<number> {
  const [row] = await clickhouse.query<{ count: number }>(
    `SELECT uniqExact(digest) AS count FROM table_rows
     WHERE project_id = {project:String} AND digest IN (SELECT arrayJoin({digests:Array(String)}))`,
    { project: projectId, digests },
  );
  return Number(row!.count); // an aggregate always returns one row
}
