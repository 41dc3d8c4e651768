import { type Position, sumDigests } from '../../copies.ts';
import type { Postgres } from '../postgres.ts';
import { type CopiedTable, qualified } from './catalog.ts';
import { within } from './transaction.ts';

/** Rows that follow each other in the order of the primary key. `upTo` is null after the last row. */
export type Window = { rows: number; digest: string; upTo: Position | null; pages: Page[] };

/** Rows that are read and inserted together. */
type Page = { upTo: Position; rows: number };

/** How many rows a window has, and how many bytes a page has, unless one row has more. */
const windowRows = 1000;
const pageBytes = 4 * 1024 * 1024;

/** The rows after a position, without their values. The order of texts is that of this store. */
export async function findWindow(postgres: Postgres, table: CopiedTable, after: Position | null): Promise<Window> {
  const keys = table.key.map(({ name }) => `t.${name}`).join(', ');
  const rows = await within(postgres, (query) =>
    query<{ key: Position; bytes: number; digest: string }>(
      `SELECT ARRAY[${table.key.map(({ name }) => `t.${name}::text`).join(', ')}] AS key, octet_length(r.line) AS bytes,
         ('x' || left(md5(r.line), 16))::bit(64)::bigint::text AS digest
       FROM ${qualified(postgres, table)} t ${lineOf(table)} WHERE ${inRange(table, { after, upTo: null })}
       ORDER BY ${keys} LIMIT ${windowRows}`,
      after ?? [],
    ),
  );
  const pages: (Page & { bytes: number })[] = [];
  for (const { key, bytes } of rows) {
    const last = pages.at(-1);
    if (last && last.bytes + bytes <= pageBytes) {
      pages[pages.length - 1] = { upTo: key, rows: last.rows + 1, bytes: last.bytes + bytes };
    } else pages.push({ upTo: key, rows: 1, bytes });
  }
  const digest = sumDigests(
    '0',
    rows.map((row) => row.digest),
  );
  return { rows: rows.length, digest, upTo: rows.length < windowRows ? null : rows.at(-1)!.key, pages };
}

/** The rows of a page as JSON, in which numbers keep all their digits. */
export async function readPage(
  postgres: Postgres,
  table: CopiedTable,
  { after, upTo }: { after: Position | null; upTo: Position },
): Promise<string[]> {
  const rows = await within(postgres, (query) =>
    query<{ line: string }>(
      `SELECT r.line FROM ${qualified(postgres, table)} t ${lineOf(table)} WHERE ${inRange(table, { after, upTo })}`,
      [...(after ?? []), ...upTo],
    ),
  );
  return rows.map(({ line }) => line);
}

/** Rows that are already there, from a page that was interrupted, stay. */
export async function insertPage(postgres: Postgres, table: CopiedTable, lines: string[]): Promise<void> {
  const columns = table.columns.map(({ name }) => name).join(', ');
  const into = qualified(postgres, table);
  await within(postgres, (query) =>
    query(
      `INSERT INTO ${into} (${columns}) OVERRIDING SYSTEM VALUE
       SELECT ${columns} FROM json_populate_recordset(NULL::${into}, $1::json) ON CONFLICT DO NOTHING`,
      [`[${lines.join(',')}]`],
    ),
  );
}

function lineOf({ columns }: CopiedTable): string {
  const named = columns.map(({ name }) => `t.${name}`).join(', ');
  return `CROSS JOIN LATERAL (SELECT row_to_json(c)::text AS line FROM (SELECT ${named}) c) r`;
}

/** The values are the parameters `$1`, `$2`, …, first those of `after`. */
function inRange({ key }: CopiedTable, { after, upTo }: { after: Position | null; upTo: Position | null }): string {
  const columns = key.map(({ name }) => `t.${name}`).join(', ');
  const values = (first: number) => key.map(({ type }, i) => `$${first + i}::text::${type}`).join(', ');
  return [
    ...(after === null ? [] : [`(${columns}) > (${values(1)})`]),
    ...(upTo === null ? [] : [`(${columns}) <= (${values(after === null ? 1 : key.length + 1)})`]),
    'true',
  ].join(' AND ');
}
