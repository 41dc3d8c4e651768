import type { ClickHouse } from '../clickhouse.ts';

export type TableStats = { digest: string; count: number; sizeBytes: number | null };

/**
 * Counts the rows of tables, including repeated ones; optionally also sums their bytes. Unknown tables are left out.
 */
export async function readTableStats(
  clickhouse: ClickHouse,
  { projectId, digests, withSizes }: { projectId: string; digests: string[]; withSizes: boolean },
): Promise<TableStats[]> {
  if (digests.length === 0) return [];
  const params = { project: projectId, tables: digests };
  const [counts, sizes] = await Promise.all([
    clickhouse.query<{ digest: string; count: number }>(
      `SELECT digest, length(row_digests) AS count FROM (${wanted}) ORDER BY digest`,
      params,
    ),
    withSizes ? clickhouse.query<{ digest: string; size: number }>(sizesSql, params) : [],
  ]);
  const sizeOf = new Map(sizes.map(({ digest, size }) => [digest, Number(size)]));
  return counts.map(({ digest, count }) => ({
    digest,
    count: Number(count),
    sizeBytes: withSizes ? (sizeOf.get(digest) ?? 0) : null,
  }));
}

const wanted = `SELECT digest, row_digests FROM tables
  WHERE project_id = {project:String} AND digest IN (SELECT arrayJoin({tables:Array(String)}))
  LIMIT 1 BY digest`;

const sizesSql = `WITH list AS (SELECT digest AS table, arrayJoin(row_digests) AS row FROM (${wanted})),
  rows AS (SELECT digest, any(size_bytes) AS bytes FROM table_rows
    WHERE project_id = {project:String} AND digest IN (SELECT row FROM list) GROUP BY digest)
  SELECT list.table AS digest, sum(rows.bytes) AS size FROM list INNER JOIN rows ON rows.digest = list.row
  GROUP BY list.table`;
