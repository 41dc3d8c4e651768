import assert from 'node:assert';
import type { Postgres } from '../postgres.ts';
import { type Query, within } from './transaction.ts';

/** A table whose rows are copied. Its name has no schema, which differs between the kinds of the store. */
export type CopiedTable = {
  name: string;
  isOfJobs: boolean;
  /** The primary key, and the types of its columns. */
  key: { name: string; type: string }[];
  columns: { name: string; type: string }[];
};

/**
 * What each store has of its own: its migrations, the replica of ClickHouse in use, the processes that use it and what they tell
 * each other, the fingerprint of their key, and the id of the deployment, which is written last.
 */
const notCopied = [
  ...['schema_migrations', 'deployment', 'clickhouse_servers', 'clickhouse_processes'],
  ...['processes', 'notices', 'last_notice', 'leases', 'running_responses', 'job_attempts'],
  'secret_key',
];

/** Of the tables of pg-boss, those with what heddle stored; the rest is its own bookkeeping. */
const tablesOfJobs = ['queue', 'job'];

/** The tables, in an order in which no row refers to one that is copied later. */
export async function tablesToCopy(postgres: Postgres): Promise<CopiedTable[]> {
  return within(postgres, async (query) => {
    const tables = await readTables(query, postgres);
    return inOrderOfReferences(tables, await readReferences(query, postgres));
  });
}

/** For SQL. Names from the catalog are quoted there. */
export function qualified({ schema, jobs }: Postgres, { name, isOfJobs }: CopiedTable): string {
  return `${isOfJobs ? jobs.schema : schema}.${name}`;
}

/** Where the values of generated columns go on: sequences, as `schema.name`. */
export async function sequencesOf(postgres: Postgres): Promise<{ name: string; isOfJobs: boolean }[]> {
  return within(postgres, (query) =>
    query(
      `SELECT quote_ident(c.relname) AS name, n.nspname = $2 AS "isOfJobs" FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname IN ($1, $2) AND c.relkind = 'S' ORDER BY 2, 1`,
      [postgres.schema, postgres.jobs.schema],
    ),
  );
}

async function readTables(query: Query, { schema, jobs }: Postgres): Promise<CopiedTable[]> {
  const found = await query<CopiedTable>(
    `SELECT quote_ident(c.relname) AS name, n.nspname = $2 AS "isOfJobs",
       (SELECT json_agg(json_build_object('name', quote_ident(a.attname), 'type', format_type(a.atttypid, a.atttypmod)) ORDER BY k.place)
        FROM pg_index i, unnest(i.indkey) WITH ORDINALITY AS k(number, place), pg_attribute a
        WHERE i.indrelid = c.oid AND i.indisprimary AND a.attrelid = c.oid AND a.attnum = k.number) AS key,
       (SELECT json_agg(json_build_object('name', quote_ident(a.attname), 'type', replace(format_type(a.atttypid, a.atttypmod), n.nspname || '.', ''))
          ORDER BY a.attname COLLATE "C")
        FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS columns
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND (n.nspname = $1 AND c.relname <> ALL ($3) OR n.nspname = $2 AND c.relname = ANY ($4))
     ORDER BY 2, 1`,
    [schema, jobs.schema, notCopied, tablesOfJobs],
  );
  for (const { name, key } of found) assert(key, `${name} has no primary key, by which its rows are copied`);
  return found;
}

type Reference = { from: string; to: string };

/** A partition refers for its table. */
async function readReferences(query: Query, { schema, jobs }: Postgres): Promise<Reference[]> {
  return query<Reference>(
    `SELECT DISTINCT quote_ident(coalesce(p.relname, f.relname)) AS "from", quote_ident(t.relname) AS "to" FROM pg_constraint c
       JOIN pg_class f ON f.oid = c.conrelid JOIN pg_class t ON t.oid = c.confrelid JOIN pg_namespace n ON n.oid = f.relnamespace
       LEFT JOIN pg_inherits i ON i.inhrelid = f.oid LEFT JOIN pg_class p ON p.oid = i.inhparent
     WHERE c.contype = 'f' AND n.nspname IN ($1, $2) AND f.oid <> t.oid`,
    [schema, jobs.schema],
  );
}

function inOrderOfReferences(tables: CopiedTable[], references: Reference[]): CopiedTable[] {
  const names = new Set(tables.map(({ name }) => name));
  const open = references.filter(({ from, to }) => names.has(from) && names.has(to));
  const ordered: CopiedTable[] = [];
  const done = new Set<string>();
  while (ordered.length < tables.length) {
    const next = tables.filter(
      ({ name }) => !done.has(name) && open.every(({ from, to }) => from !== name || done.has(to)),
    );
    assert(next.length > 0, 'tables refer to each other in a circle');
    for (const table of next) done.add(table.name);
    ordered.push(...next);
  }
  return ordered;
}
