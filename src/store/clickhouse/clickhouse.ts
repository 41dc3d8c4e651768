import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type ClickHouseClient, createClient } from '@clickhouse/client';
import type { ChdbConnection } from 'chdb/connection';
import { checkWasmBounds, restoreDefaultSignals } from './signals.ts';

// When this file is loaded, because PGlite and Node's own parsers must not have been compiled yet.
checkWasmBounds();

/**
 * The store of what is appended. chDB inside the process speaks the SQL of a ClickHouse server, through the same client;
 * nothing outside this file may ask which of them it is.
 */
export type ClickHouse = {
  /** Runs a read and returns its rows. `params` are bound by the engine: `{name:Type}` in the SQL. */
  query<Row>(sql: string, params?: QueryParams): Promise<Row[]>;
  /** Runs a statement that returns nothing. */
  command(sql: string): Promise<void>;
  /** Inserts JSON lines (one row each, ended by a line feed) and resolves when they are durable and visible. */
  insert(table: string, lines: Buffer): Promise<void>;
  /** Whether no other process writes to this store, so that what was written can be remembered. */
  isOnlyWriter: boolean;
  close(): Promise<void>;
};

export type QueryParams = Record<string, unknown>;

/** Opens chDB, ClickHouse inside the process, on a directory. One per process, and only on its main thread. */
export function openChdb(directory: string): ClickHouse {
  mkdirSync(directory, { recursive: true });
  const connection = loadChdb().createChdbConnection({ path: directory });
  restoreDefaultSignals();
  const client = createClient({ connection: connection as never }); // the hook is typed for its own version of the client
  return {
    ...reads(client),
    async insert(table, lines) {
      if (lines.length === 0) return;
      await connection.chdb.rawInsert({ table, values: lines, format: 'JSONEachRow', settings: insertSettings });
    },
    isOnlyWriter: true,
    close: () => client.close(),
  };
}

const insertSettings = {
  /** They are built when parts are merged: for the small parts of single inserts they cost more than they spare. */
  materialize_skip_indexes_on_insert: 0,
  /** Cutting a batch into pieces for several threads takes a third of the time that parsing does. */
  input_format_parallel_parsing: 0,
};

function reads(client: ClickHouseClient) {
  return {
    async query<Row>(sql: string, params: QueryParams = {}): Promise<Row[]> {
      const result = await client.query({ query: sql, query_params: params, format: 'JSONEachRow' });
      return result.json<Row>();
    },
    async command(sql: string): Promise<void> {
      await client.command({ query: sql });
    },
  };
}

function loadChdb(): { createChdbConnection(options: { path: string }): ChdbConnection } {
  return createRequire(import.meta.url)('chdb/connection'); // CommonJS, and loaded only when this kind is chosen
}
