import type { ClickHouse } from '../clickhouse.ts';

const rowsMax = 1000;
const tablesMax = 200;

/** The tables with rows that contain a text, and how many of these rows each has. It reads all rows of the project. */
export async function findTablesWithText(
  clickhouse: ClickHouse,
  projectId: string,
  text: string,
): Promise<Map<string, number>> {
  const rows = await clickhouse.query<{ digest: string }>(
    `SELECT DISTINCT digest FROM table_rows
     WHERE project_id = {project:String} AND position(value, {text:String}) > 0 LIMIT {limit:UInt64}`,
    { project: projectId, text, limit: rowsMax },
  );
  if (rows.length === 0) return new Map();
  const tables = await clickhouse.query<{ digest: string; found: number }>(
    `SELECT digest, max(arrayCount(row -> has({rows:Array(String)}, row), row_digests)) AS found FROM tables
     WHERE project_id = {project:String} AND hasAny(row_digests, {rows:Array(String)})
     GROUP BY digest LIMIT {limit:UInt64}`,
    { project: projectId, rows: rows.map(({ digest }) => digest), limit: tablesMax },
  );
  return new Map(tables.map(({ digest, found }) => [digest, Number(found)]));
}

/** The objects whose value refers to one of these tables: the table, by the digest of the value. */
export async function findValuesOfTables(
  clickhouse: ClickHouse,
  projectId: string,
  tables: string[],
): Promise<Map<string, string>> {
  if (tables.length === 0) return new Map();
  const values = await clickhouse.query<{ digest: string; table: string }>(
    `SELECT DISTINCT digest, arrayFirst(table -> position(value, concat('/table/', table, '"')) > 0, {tables:Array(String)}) AS table
     FROM object_values WHERE project_id = {project:String} AND table != ''`,
    { project: projectId, tables },
  );
  return new Map(values.map(({ digest, table }) => [digest, table]));
}
