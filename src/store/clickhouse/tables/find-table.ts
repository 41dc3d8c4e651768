import type { ClickHouse } from '../clickhouse.ts';

export type TableKey = { projectId: string; digest: string };

/** One row, whichever of several equal ones knows most. Its parameters are those of `tableParams`. */
export function tableSource(columns: string): string {
  return `SELECT ${columns} FROM tables
    WHERE project_id = {project:String} AND digest = {table:String} ORDER BY is_complete DESC LIMIT 1`;
}

export function tableParams({ projectId, digest }: TableKey) {
  return { project: projectId, table: digest };
}

/** How many rows a table lists; null where it is unknown. */
export async function findTable(
  clickhouse: ClickHouse,
  key: TableKey,
): Promise<{ count: number; isComplete: boolean } | null> {
  const [table] = await clickhouse.query<{ count: number; complete: number }>(
    tableSource('length(row_digests) AS count, is_complete AS complete'),
    tableParams(key),
  );
  return table ? { count: Number(table.count), isComplete: table.complete === 1 } : null;
}

/** The whole list of a table of `count` rows, read in pages: a long one in a single answer would be parsed in one go. */
export async function readRowDigests(clickhouse: ClickHouse, key: TableKey, count: number): Promise<string[]> {
  const rowDigests: string[] = [];
  while (rowDigests.length < count) {
    const [found] = await clickhouse.query<{ page: string[] }>(
      tableSource('arraySlice(row_digests, {offset:UInt64} + 1, {limit:UInt64}) AS page'),
      { ...tableParams(key), offset: rowDigests.length, limit: digestsInPage },
    );
    for (const digest of found!.page) rowDigests.push(digest);
  }
  return rowDigests;
}

const digestsInPage = 50_000;
