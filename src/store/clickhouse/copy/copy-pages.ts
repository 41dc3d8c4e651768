import type { CopyWatch, Position } from '../../copies.ts';
import type { ClickHouse } from '../clickhouse.ts';
import type { Column } from './common-columns.ts';
import { inRange, type Range } from './range-sql.ts';
import type { Page, TableToCopy, Window } from './windows.ts';

/** An answer of the store has at most 256 MiB. */
const bytesOfKeyMax = 64 * 1024 * 1024;

/** Copies the rows of a window. While a page is inserted, the next one is read. */
export async function copyPages(
  { source, target }: { source: ClickHouse; target: ClickHouse },
  table: TableToCopy,
  { range, pages }: Window,
  watch: CopyWatch,
): Promise<void> {
  let after = range.after;
  let inserted = Promise.resolve();
  for (const page of pages) {
    const lines = await readPage(source, table, page, after);
    await inserted;
    watch.requireRoom(lines.length);
    inserted = target.insert(table.name, lines).then(() => watch.copied(table.name, page.rows, page.bytes));
    inserted.catch(() => {}); // it is awaited after the next read
    after = page.upTo;
  }
  await inserted;
}

/**
 * Reads rows as lines that can be inserted. Times are numbers, because ClickHouse does not write those of distant years as
 * text. Of a key with very large versions, only the newest is read; merges remove the others.
 */
async function readPage(source: ClickHouse, table: TableToCopy, page: Page, after: Position | null): Promise<Buffer> {
  const range: Range = { after, upTo: page.upTo };
  const newestOnly = page.keys === 1 && page.bytes > bytesOfKeyMax && table.version !== null;
  return source.queryBytes(
    `SELECT ${table.columns.map(readable).join(', ')} FROM ${table.name} WHERE ${inRange(table, range)}
     ${newestOnly ? `ORDER BY ${table.version} DESC LIMIT 1` : ''}
     SETTINGS prefer_column_name_to_alias = 1, output_format_json_quote_denormals = 1,
       output_format_json_escape_forward_slashes = 0`,
    'JSONEachRow',
  );
}

function readable({ name, type }: Column): string {
  return /^(Nullable\()?DateTime64\(6/.test(type) ? `toUnixTimestamp64Micro(${name}) AS ${name}` : name;
}
