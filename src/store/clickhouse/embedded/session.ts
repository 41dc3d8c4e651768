import { createRequire } from 'node:module';
import { type ClickHouseClient, createClient } from '@clickhouse/client';
import type { ChdbConnection } from 'chdb/connection';
import { openInTurn } from '../../../util/in-turn.ts';
import { joined } from '../../../util/joined.ts';
import { parseLines } from '../rows/parse-lines.ts';
import { describeSql, StoreError, toStoreError } from '../store-error.ts';

/**
 * A chDB session. It runs one statement at a time; statements of different sessions run concurrently. Failures throw a
 * `StoreError`.
 */
export type Session = {
  query<Row>(sql: string): Promise<Row[]>;
  /** Returns the answer as bytes in one of ClickHouse's formats. */
  queryBytes(sql: string, format: 'RowBinary' | 'JSONEachRow'): Promise<Buffer>;
  command(sql: string): Promise<void>;
  insert(table: string, lines: Buffer): Promise<void>;
  close(): Promise<void>;
};

// Each running statement occupies a thread of libuv's pool, which is created on first use. With the default of 4 threads,
// four slow queries would block inserts and everything else that uses the pool, such as file reads.
process.env.UV_THREADPOOL_SIZE ??= '48';

/**
 * Opens a session on a directory; `settings` is a SET statement for everything that runs in it.
 * chDB keeps the rows that a failed statement had already produced, and returns them first for the next statement.
 * Statements are therefore sent one at a time, and after a failure the next one gets a new connection.
 */
export function openSession(directory: string, settings: string | null): Session {
  let connection = connect(directory, settings);
  let isClosed = false;
  const inTurn = openInTurn();

  function send<Value>(statement: string, work: (connection: Connection) => Promise<Value>): Promise<Value> {
    // It would open another connection, which nothing closes: chDB could then open no other directory.
    if (isClosed) return Promise.reject(new StoreError(statement, null, 'the store is closed'));
    return inTurn(async () => {
      try {
        await connection.isSet;
        return await work(connection);
      } catch (error) {
        const failed = connection;
        connection = connect(directory, settings);
        await failed.client.close().catch(() => {});
        throw toStoreError(error, statement);
      }
    });
  }

  const read = (sql: string, format: 'JSONEachRow' | 'RowBinary') =>
    send(describeSql(sql), async ({ client }) => {
      const { stream } = await client.exec({ query: `${sql}\nFORMAT ${format}` });
      return joined(await stream.toArray());
    });

  return {
    query: async <Row>(sql: string) => parseLines<Row>(await read(sql, 'JSONEachRow')),
    queryBytes: read,
    command: (sql) => send(describeSql(sql), async ({ client }) => void (await client.command({ query: sql }))),
    insert: (table, lines) =>
      send(`INSERT on ${table}`, async ({ chdb }) => {
        await chdb.chdb.rawInsert({ table, values: lines, format: 'JSONEachRow', settings: insertSettings });
      }),
    close() {
      isClosed = true;
      return inTurn(async () => {
        await connection.isSet;
        await connection.client.close();
      });
    },
  };
}

type Connection = { chdb: ChdbConnection; client: ClickHouseClient; isSet: Promise<unknown> };

function connect(directory: string, settings: string | null): Connection {
  const chdb = loadChdb().createChdbConnection({ path: directory });
  const client = createClient({ connection: chdb as never }); // the hook is typed for its own version of the client
  const isSet = settings === null ? Promise.resolve() : client.command({ query: settings });
  isSet.catch(() => {}); // every statement awaits it, and fails with it
  return { chdb, client, isSet };
}

const insertSettings = {
  /** They are built when parts are merged: for the small parts of single inserts they cost more than they save. */
  materialize_skip_indexes_on_insert: 0,
  /** Splitting a batch for several threads takes a third of the parsing time. */
  input_format_parallel_parsing: 0,
};

function loadChdb(): { createChdbConnection(options: { path: string }): ChdbConnection } {
  return createRequire(import.meta.url)('chdb/connection'); // CommonJS, and only loaded if this kind is chosen
}
