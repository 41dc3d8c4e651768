import assert from 'node:assert';
import type { ClickHouse } from '../clickhouse.ts';

export type Column = { name: string; type: string };

/** The stored columns of a table, which are equal in two stores with the newest schema. */
export async function commonColumns(
  { source, target }: { source: ClickHouse; target: ClickHouse },
  table: string,
): Promise<Column[]> {
  const [columns, others] = await Promise.all([source, target].map((store) => storedColumns(store, table)));
  assert.deepEqual(others, columns, `the columns of ${table} differ`);
  return columns!;
}

/** Columns that are computed from others cannot be inserted. */
async function storedColumns(store: ClickHouse, table: string): Promise<Column[]> {
  const columns = await store.query<Column & { default_type: string }>(`DESCRIBE TABLE ${table}`);
  return columns
    .filter(({ default_type: kind }) => kind === '' || kind === 'DEFAULT')
    .map(({ name, type }) => ({ name, type: type.replaceAll(/\s+/g, '') })); // a version may write it on several lines
}
