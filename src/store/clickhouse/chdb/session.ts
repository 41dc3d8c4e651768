import { createRequire } from 'node:module';
import { setImmediate } from 'node:timers/promises';
import { createClient } from '@clickhouse/client';
import type { ChdbConnection } from 'chdb/connection';
import { describeSql, toStoreError } from '../store-error.ts';

/**
 * A session of chDB. It runs one statement at a time; statements of different sessions run at the same time. What fails
 * throws a `StoreError`.
 */
export type ChdbSession = {
  query<Row>(sql: string): Promise<Row[]>;
  command(sql: string): Promise<void>;
  insert(table: string, lines: Buffer): Promise<void>;
  close(): Promise<void>;
};

// Each statement under way holds a thread of libuv's pool, which is made at its first use. With the usual 4 threads, as
// many slow queries would hold up inserts, and whatever else needs the pool, such as reading files.
process.env.UV_THREADPOOL_SIZE ??= '32';

/** Opens a session on a directory; `settings` is a SET statement for all that runs in it. */
export function openSession(directory: string, settings: string | null): ChdbSession {
  const connection = loadChdb().createChdbConnection({ path: directory });
  const client = createClient({ connection: connection as never }); // the hook is typed for its own version of the client
  const isSet = settings === null ? Promise.resolve() : client.command({ query: settings }).then(() => {});
  isSet.catch(() => {}); // every statement awaits it, and fails with it

  async function run<Value>(statement: string, work: () => Promise<Value>): Promise<Value> {
    try {
      await isSet;
      return await work();
    } catch (error) {
      throw toStoreError(error, statement);
    }
  }

  return {
    query: <Row>(sql: string) =>
      run(describeSql(sql), async () => {
        const result = await client.query({ query: sql, format: 'JSONEachRow' });
        return parseLines<Row>(await result.text());
      }),
    command: (sql) => run(describeSql(sql), async () => void (await client.command({ query: sql }))),
    insert: (table, values) =>
      run(`INSERT on ${table}`, async () => {
        await connection.chdb.rawInsert({ table, values, format: 'JSONEachRow', settings: insertSettings });
      }),
    async close() {
      await isSet.catch(() => {});
      await client.close();
    },
  };
}

const insertSettings = {
  /** They are built when parts are merged: for the small parts of single inserts they cost more than they spare. */
  materialize_skip_indexes_on_insert: 0,
  /** Cutting a batch into pieces for several threads takes a third of the time that parsing does. */
  input_format_parallel_parsing: 0,
};

/** Other requests have their turn between pieces of a large answer. */
async function parseLines<Row>(text: string): Promise<Row[]> {
  const rows: Row[] = [];
  let parsed = 0;
  for (let start = 0; start < text.length; ) {
    const lineEnd = text.indexOf('\n', start);
    const end = lineEnd < 0 ? text.length : lineEnd;
    if (end > start) rows.push(JSON.parse(text.slice(start, end)));
    parsed += end - start;
    start = end + 1;
    if (parsed < charactersInTurn || start >= text.length) continue;
    parsed = 0;
    await setImmediate();
  }
  return rows;
}

const charactersInTurn = 1024 * 1024;

function loadChdb(): { createChdbConnection(options: { path: string }): ChdbConnection } {
  return createRequire(import.meta.url)('chdb/connection'); // CommonJS, and loaded only when this kind is chosen
}
