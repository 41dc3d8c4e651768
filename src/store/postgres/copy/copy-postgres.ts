import assert from 'node:assert';
import {
  CopyMismatchError,
  type CopyState,
  type CopyWatch,
  sumDigests,
  tableState,
  withVerified,
} from '../../copies.ts';
import type { Postgres } from '../postgres.ts';
import { type CopiedTable, qualified, sequencesOf, tablesToCopy } from './catalog.ts';
import { within } from './transaction.ts';
import { findWindow, insertPage, readPage } from './windows.ts';

type Stores = { source: Postgres; target: Postgres };

/**
 * Copies the rows of all tables and the queued jobs, page by page in the order of their keys, and verifies each table.
 * @throws CopyMismatchError
 */
export async function copyPostgres({ source, target }: Stores, state: CopyState, watch: CopyWatch): Promise<void> {
  const [tables, others] = await Promise.all([tablesToCopy(source), tablesToCopy(target)]);
  assert.deepEqual(others, tables, 'the tables of the two stores differ');
  for (const table of tables) {
    const name = nameOf(table);
    if (name in state.verified) continue;
    const copied = await copyTable({ source, target }, table, state, watch);
    await verify(target, table, copied);
    state = withVerified(state, { table: name, rows: copied.rows });
    watch.save(state);
  }
  await copySequences({ source, target });
}

/** The rows of each table. */
export async function countRows(postgres: Postgres): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of await tablesToCopy(postgres)) {
    const [row] = await within(postgres, (query) =>
      query<{ rows: number }>(`SELECT count(*)::int AS rows FROM ${qualified(postgres, table)}`),
    );
    counts[nameOf(table)] = row!.rows;
  }
  return counts;
}

/** Whether there are rows in the tables that exist. */
export async function hasRows(postgres: Postgres): Promise<boolean> {
  for (const table of await tablesToCopy(postgres)) {
    const found = await within(postgres, (query) => query(`SELECT 1 FROM ${qualified(postgres, table)} LIMIT 1`));
    if (found.length > 0) return true;
  }
  return false;
}

async function copyTable({ source, target }: Stores, table: CopiedTable, state: CopyState, watch: CopyWatch) {
  const at = { ...tableState(state, nameOf(table)) };
  for (;;) {
    const window = await findWindow(source, table, at.after);
    for (const { upTo, rows } of window.pages) {
      const lines = await readPage(source, table, { after: at.after, upTo });
      const bytes = lines.reduce((sum, line) => sum + line.length, 0);
      watch.requireRoom(bytes);
      await insertPage(target, table, lines);
      at.after = upTo;
      watch.copied(at.table, rows, bytes);
    }
    at.rows += window.rows;
    at.digest = sumDigests(at.digest, [window.digest]);
    if (window.upTo === null) return at;
    watch.save({ ...state, current: { ...at } });
  }
}

/** Reads the rows of the target in its own order of texts. */
async function verify(target: Postgres, table: CopiedTable, copied: { rows: number; digest: string }): Promise<void> {
  const found = { rows: 0, digest: '0' };
  for (let after: string[] | null = null; ; ) {
    const window = await findWindow(target, table, after);
    found.rows += window.rows;
    found.digest = sumDigests(found.digest, [window.digest]);
    if (window.upTo === null) break;
    after = window.upTo;
  }
  if (found.rows === copied.rows && found.digest === copied.digest) return;
  throw new CopyMismatchError(nameOf(table), `${found.rows} of ${copied.rows} rows are there, or their values differ`);
}

async function copySequences({ source, target }: Stores): Promise<void> {
  const sequences = await sequencesOf(source);
  assert.deepEqual(await sequencesOf(target), sequences, 'the sequences of the two stores differ');
  for (const sequence of sequences) {
    const [at] = await within(source, (query) =>
      query<{ last: string; called: boolean }>(
        `SELECT last_value::text AS last, is_called AS called FROM ${inSchema(source, sequence)}`,
      ),
    );
    await within(target, (query) =>
      query('SELECT setval($1::text::regclass, $2::text::bigint, $3)', [
        inSchema(target, sequence),
        at!.last,
        at!.called,
      ]),
    );
  }
}

function inSchema({ schema, jobs }: Postgres, { name, isOfJobs }: { name: string; isOfJobs: boolean }): string {
  return `${isOfJobs ? jobs.schema : schema}.${name}`;
}

function nameOf({ name, isOfJobs }: CopiedTable): string {
  return isOfJobs ? `jobs.${name}` : name;
}
