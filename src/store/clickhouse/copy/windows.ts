import { type Position, sumDigests } from '../../copies.ts';
import type { ClickHouse } from '../clickhouse.ts';
import type { Column } from './common-columns.ts';
import type { CopiedTable } from './copied-tables.ts';
import { inRange, keyAsText, type Range } from './range-sql.ts';

export type TableToCopy = CopiedTable & { name: string; columns: Column[] };

/** Rows that follow each other. Of each key, the digest has the newest version, which is the one that merges keep. */
export type Window = { range: Range; rows: number; keys: number; digest: string; pages: Page[] };

/** Rows that are read and inserted together. */
export type Page = { upTo: Position; rows: number; bytes: number; keys: number };

/** How many rows a window has, and how many bytes a page has, unless one key has more. */
const windowRows = 20_000;
const pageBytes = 8 * 1024 * 1024;

type Row = { key: Position; version: string; bytes: number; digest: string };

/**
 * The rows after a position, without their values. `upTo` is null for the last ones. Hashes are computed before rows are
 * ordered: otherwise ClickHouse has the values of the whole window in memory.
 */
export async function findWindow(store: ClickHouse, table: TableToCopy, after: Position | null): Promise<Window> {
  const range: Range = { after, upTo: await findEnd(store, table, after) };
  const rows = await store.query<Row>(
    `SELECT [${keyAsText(table).join(', ')}] AS key, toString(${versionOf(table)}) AS version,
       length(${rowOf(table)}) AS bytes, toString(${hashOf(table)}) AS digest
     FROM ${table.name} WHERE ${inRange(table, range)} ORDER BY ${keyOf(table)}
     SETTINGS prefer_column_name_to_alias = 1, query_plan_execute_functions_after_sorting = 0`,
  );
  const keys = Map.groupBy(rows, ({ key }) => key.join('/')).values();
  const newest = [...keys].map((versions) => ({ key: versions[0]!.key, versions, digest: newestOf(versions).digest }));
  return {
    range,
    rows: rows.length,
    keys: newest.length,
    digest: sumDigests(
      '0',
      newest.map(({ digest }) => digest),
    ),
    pages: pagesOf(newest),
  };
}

/** The last key of a window. Without other columns, ClickHouse reads no further than that. */
async function findEnd(store: ClickHouse, table: TableToCopy, after: Position | null): Promise<Position | null> {
  const [end] = await store.query<{ key: Position }>(
    `SELECT [${keyAsText(table).join(', ')}] AS key FROM ${table.name} WHERE ${inRange(table, { after, upTo: null })}
     ORDER BY ${keyOf(table)} LIMIT 1 OFFSET ${windowRows - 1}`,
  );
  return end?.key ?? null;
}

function newestOf(versions: Row[]): Row {
  const isNewer = (a: Row, b: Row) => BigInt(a.version) - BigInt(b.version) || BigInt(a.digest) - BigInt(b.digest);
  return versions.reduce((newest, each) => (isNewer(each, newest) > 0n ? each : newest));
}

function pagesOf(keys: { key: Position; versions: Row[] }[]): Page[] {
  const pages: Page[] = [];
  for (const { key, versions } of keys) {
    const bytes = versions.reduce((sum, each) => sum + each.bytes, 0);
    const last = pages.at(-1);
    if (last && last.bytes + bytes <= pageBytes) {
      pages[pages.length - 1] = {
        upTo: key,
        rows: last.rows + versions.length,
        bytes: last.bytes + bytes,
        keys: last.keys + 1,
      };
    } else pages.push({ upTo: key, rows: versions.length, bytes, keys: 1 });
  }
  return pages;
}

/** What `findWindow` finds, computed by the store. */
export async function digestOfRange(
  store: ClickHouse,
  table: TableToCopy,
  range: Range,
): Promise<{ keys: number; digest: string }> {
  const [found] = await store.query<{ keys: number; digest: string }>(
    `SELECT count() AS keys, toString(sum(newest.2)) AS digest FROM (
       SELECT max((${versionOf(table)}, ${hashOf(table)})) AS newest FROM ${table.name} WHERE ${inRange(table, range)}
       GROUP BY ${keyOf(table)}
     )`,
  );
  return found!;
}

function keyOf({ key }: TableToCopy): string {
  return Object.keys(key).join(', ');
}

function versionOf({ version }: TableToCopy): string {
  return version ?? '0';
}

/** Does not depend on the version of ClickHouse, as hashes of several values may. */
function hashOf(table: TableToCopy): string {
  return `sipHash64(${rowOf(table)})`;
}

function rowOf({ columns }: TableToCopy): string {
  return `formatRow('RowBinary', ${columns.map(({ name }) => name).join(', ')})`;
}
