import { createRequire } from 'node:module';
import { setImmediate } from 'node:timers/promises';
import { type ClickHouseClient, createClient } from '@clickhouse/client';
import type { ChdbConnection } from 'chdb/connection';
import { openInTurn } from '../../../util/in-turn.ts';
import { joined } from '../../../util/joined.ts';
import { parseLargeLine } from '../rows/large-lines.ts';
import { describeSql, StoreError, toStoreError } from '../store-error.ts';

/**
 * A chDB session. It runs one statement at a time; statements of different sessions run concurrently. Failures throw a
 * `StoreError`.
 */
export type Session = {
  query<Row>(sql: string): Promise<Row[]>;
  /** Returns the answer as bytes in one of ClickHouse's formats. */
  queryBytes(sql: string, format: 'RowBinary'): Promise<Buffer>;
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

/**
 * Decodes and parses a large answer in pieces, yielding to other requests between them. A thread parses lines that are
 * longer than a piece.
 */
async function parseLines<Row>(bytes: Buffer): Promise<Row[]> {
  const rows: Row[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = endOfPiece(bytes, start);
    const piece = bytes.subarray(start, end);
    if (piece.length > bytesInTurn) rows.push(await parseLargeLine<Row>(piece));
    else for (const line of piece.toString().split(lineFeed)) if (line !== '') rows.push(JSON.parse(line));
    start = end;
    if (start < bytes.length) await setImmediate();
  }
  return rows;
}

/** As many whole lines as fit into a turn; at least one. */
function endOfPiece(bytes: Buffer, start: number): number {
  if (bytes.length - start <= bytesInTurn) return bytes.length;
  const lastFitting = bytes.lastIndexOf(lineFeed, start + bytesInTurn - 1);
  const end = lastFitting >= start ? lastFitting : bytes.indexOf(lineFeed, start);
  return end < 0 ? bytes.length : end + 1;
}

const lineFeed = '\n';
const bytesInTurn = 1024 * 1024;

function loadChdb(): { createChdbConnection(options: { path: string }): ChdbConnection } {
  return createRequire(import.meta.url)('chdb/connection'); // CommonJS, and only loaded if this kind is chosen
}
