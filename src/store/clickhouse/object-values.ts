import { isLarge } from '../../util/large-text.ts';
import type { BatchedInserter } from './batched-inserter.ts';
import type { ClickHouse } from './clickhouse.ts';
import { insertLine } from './rows/insert-line.ts';
import { writeLargeLines } from './rows/large-lines.ts';

/** Stores a value under its digest; storing it again is harmless. */
export async function insertObjectValue(
  inserter: BatchedInserter,
  { projectId, digest, text }: { projectId: string; digest: string; text: string },
): Promise<void> {
  const row = { project_id: projectId, digest, value: text };
  const line = isLarge(text) ? await writeLargeLines('object_values', [row]) : insertLine('object_values', row);
  await inserter.insert('object_values', line);
}

/** The values as text, by digest. */
export async function readObjectValues(
  clickhouse: ClickHouse,
  projectId: string,
  digests: Iterable<string>,
): Promise<Map<string, string>> {
  const values = new Map<string, string>();
  const wanted = [...new Set(digests)];
  for (let i = 0; i < wanted.length; i += digestsPerRead) {
    const rows = await clickhouse.query<{ digest: string; value: string }>(
      `SELECT digest, value FROM object_values
       WHERE project_id = {project:String} AND digest IN {digests:Array(String)}
       LIMIT 1 BY digest`,
      { project: projectId, digests: wanted.slice(i, i + digestsPerRead) },
    );
    for (const { digest, value } of rows) values.set(digest, value);
  }
  return values;
}

const digestsPerRead = 1000;
