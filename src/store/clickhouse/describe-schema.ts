import type { ClickHouse } from './clickhouse.ts';

/** The schema after all migrations, as SQL: kept in the repository for reading, and compared by a test. */
export async function describeClickHouse(clickhouse: ClickHouse): Promise<string> {
  const tables = await clickhouse.query<{ name: string }>(
    'SELECT name FROM system.tables WHERE database = currentDatabase() ORDER BY name',
  );
  const statements = [];
  for (const { name } of tables) {
    const [row] = await clickhouse.query<{ statement: string }>(`SHOW CREATE TABLE ${name}`);
    statements.push(row!.statement.replace(/^CREATE TABLE \w+\./, 'CREATE TABLE '));
  }
  return statements.map((statement) => `${statement};\n`).join('\n');
}
