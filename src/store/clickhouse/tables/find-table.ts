import type { ClickHouse } from '../clickhouse.ts';

export type TableKey = { projectId: string; digest: string };

/** One row, the most complete of several equal ones. Its parameters are those of `tableParams`. */
export function tableSource(columns: string): string {
  return `SELECT ${columns} FROM tables
    WHERE project_id = {project:String} AND digest = {table:String} ORDER BY is_complete DESC LIMIT 1`;
}

export function tableParams({ projectId, digest }: TableKey) {
  return { project: projectId, table: digest };
}

/** Whether a table and all of its rows are stored. */
export async function isTableStored(clickhouse: ClickHouse, key: TableKey): Promise<boolean> {
  return (await findTable(clickhouse, key))?.isComplete ?? false;
}

/** The number of rows in a table; null if it is unknown. */
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

/**
 * The whole list of a table of `count` rows. Each statement reads the complete stored list, so there are few; their
 * results arrive in lines, one of which is parsed per turn of the event loop.
 */
export async function readRowDigests(clickhouse: ClickHouse, key: TableKey, count: number): Promise<string[]> {
  const rowDigests: string[] = [];
  while (rowDigests.length < count) {
    const lines = await clickhouse.query<{ page: string[] }>(
      `SELECT groupArray(digest) AS page FROM (
         SELECT digest, intDiv(place - 1, {inLine:UInt64}) AS line
         FROM (${tableSource('arraySlice(row_digests, {offset:UInt64} + 1, {limit:UInt64}) AS digests')})
         ARRAY JOIN digests AS digest, arrayEnumerate(digests) AS place
       ) GROUP BY line ORDER BY line SETTINGS max_threads = 1`, // with one thread, groupArray keeps the order
      { ...tableParams(key), offset: rowDigests.length, limit: digestsInPage, inLine: digestsInLine },
    );
    for (const { page } of lines) for (const digest of page) rowDigests.push(digest);
  }
  return rowDigests;
}

const digestsInPage = 500_000;
const digestsInLine = 25_000; // one turn parses about a megabyte
