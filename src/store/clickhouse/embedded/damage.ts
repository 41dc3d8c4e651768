import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClickHouse } from '../clickhouse.ts';

/** Rows that ClickHouse cannot read and leaves out of every result. */
export type DamagedPart = { table: string; name: string; path: string; rows: number | null };

/**
 * The parts that ClickHouse has moved aside because their files are damaged. It does this at startup without a message,
 * and continues as if their rows had never existed.
 */
export async function findDamagedParts(clickhouse: ClickHouse): Promise<DamagedPart[]> {
  const parts = await clickhouse.query<{ table: string; name: string; path: string }>(
    `SELECT table, name, path FROM system.detached_parts
     WHERE database = currentDatabase() AND (reason LIKE '%broken%' OR reason LIKE '%unexpected%')
     ORDER BY table, name`,
  );
  return Promise.all(parts.map(async (part) => ({ ...part, rows: await rowsOf(part.path) })));
}

/** Describes them in one line. */
export function describeDamagedParts(parts: DamagedPart[]): string {
  const rows = parts.reduce((sum, part) => sum + (part.rows ?? 0), 0);
  const names = parts.slice(0, 3).map(({ table, path }) => `${table}: ${path}`);
  const more = parts.length > names.length ? ', …' : '';
  return `${parts.length} damaged parts are set aside, and their rows (${rows} or more) are missing from answers (${names.join(', ')}${more})`;
}

/** A part stores its number of rows in a separate file. */
async function rowsOf(path: string): Promise<number | null> {
  const text = await readFile(join(path, 'count.txt'), 'utf8').catch(() => '');
  return /^\d+$/.test(text) ? Number(text) : null;
}

export type PartCheck = { checked: number; total: number; damaged: string[] };

/** Reads every part of every table, the newest first, and compares it with its checksums until the time is up. */
export async function checkParts(clickhouse: ClickHouse, timeMs: number): Promise<PartCheck> {
  const parts = await clickhouse.query<{ table: string; name: string }>(
    `SELECT table, name FROM system.parts WHERE database = currentDatabase() AND active ORDER BY modification_time DESC`,
  );
  const until = performance.now() + timeMs;
  const check: PartCheck = { checked: 0, total: parts.length, damaged: [] };
  for (const { table, name } of parts) {
    if (performance.now() > until) break;
    const found = await checkPart(clickhouse, table, name);
    if (found !== null) check.damaged.push(`${table} ${name}: ${found}`);
    check.checked++;
  }
  return check;
}

/** What is wrong with a part; null also if it has since been merged. */
async function checkPart(clickhouse: ClickHouse, table: string, name: string): Promise<string | null> {
  try {
    const rows = await clickhouse.query<{ is_passed: number; message: string }>(
      `CHECK TABLE ${table} PART '${name}' SETTINGS check_query_single_value_result = 0`,
    );
    const failed = rows.find((row) => Number(row.is_passed) === 0);
    return failed ? failed.message.split('\n', 1)[0]!.slice(0, 200) : null;
  } catch (error) {
    const [row] = await clickhouse.query<{ active: number }>(
      'SELECT count() AS active FROM system.parts WHERE database = currentDatabase() AND active AND table = {table:String} AND name = {name:String}',
      { table, name },
    );
    return Number(row?.active) === 0 ? null : (error as Error).message.split('\n', 1)[0]!.slice(0, 200);
  }
}
