import { sql } from 'kysely';
import type { Postgres } from './postgres.ts';

/** The schema after all migrations, as SQL: kept in the repository for reading, and compared by a test. */
export async function describePostgres({ db }: Pick<Postgres, 'db'>): Promise<string> {
  const { rows } = await sql<{ table: string; lines: string[]; indexes: string[] }>`
    SELECT c.relname AS table,
      (SELECT array_agg(line ORDER BY place) FROM (
        SELECT a.attnum AS place, a.attname || ' ' || format_type(a.atttypid, a.atttypmod) ||
          CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END ||
          coalesce(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), '') AS line
        FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        UNION ALL
        SELECT 1000 + row_number() OVER (ORDER BY conname), 'CONSTRAINT ' || conname || ' ' || pg_get_constraintdef(oid)
        FROM pg_constraint WHERE conrelid = c.oid AND contype <> 'n'
      ) parts) AS lines,
      ARRAY(
        SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i
        WHERE i.indrelid = c.oid AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.indexrelid)
        ORDER BY 1
      ) AS indexes
    FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
    ORDER BY c.relname`.execute(db);
  return rows
    .map(({ table, lines, indexes }) => [tableSql(table, lines), ...indexes].map((each) => `${each};\n`).join(''))
    .join('\n');
}

function tableSql(table: string, lines: string[]): string {
  return `CREATE TABLE ${table} (\n${lines.map((line) => `    ${line}`).join(',\n')}\n)`;
}
