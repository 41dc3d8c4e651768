import type { Layout } from './layout.ts';

/**
 * The store of append-only data. Each kind of it is a folder beside this file; besides migrations, no other code depends on
 * the kind. Failures
 * throw a `StoreError`, which contains no values.
 */
export type ClickHouse = {
  /** What its migrations are adapted to. */
  readonly layout: Layout;
  /**
   * Runs a read and returns its rows. `params` replace `{name:Type}` in the SQL.
   * Within a request (see `RequestScope`) it is limited by the query budget and ends when the client disconnects.
   * @throws Failure if it exceeds the budget or too many reads wait
   */
  query<Row>(sql: string, params?: QueryParams): Promise<Row[]>;
  /** Like `query`, but returns the answer as bytes: for lists of a million values, and for rows that nobody parses. */
  queryBytes(sql: string, format: 'RowBinary' | 'JSONEachRow', params?: QueryParams): Promise<Buffer>;
  /** Runs a statement that returns nothing. */
  command(sql: string): Promise<void>;
  /**
   * Inserts JSON lines (one row each, with a line feed) and resolves when they are durable and visible.
   * @throws InsertRefused if a row is invalid: then none of them is stored.
   */
  insert(table: string, lines: Buffer): Promise<void>;
  /** The same store for the server's internal work, also during a request: writes are not delayed by reads. */
  internal: ClickHouse;
  close(): Promise<void>;
};

export type QueryParams = Record<string, unknown>;
