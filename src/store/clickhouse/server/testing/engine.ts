/** Part of a double of ClickHouse servers: runs their statements on chDB. */
import { createRequire } from 'node:module';
import type { ChdbConnection } from 'chdb/connection';
import { checkWasmBounds, restoreDefaultSignals } from '../../embedded/signals.ts';

export type Statement = {
  database: string;
  settings: [string, string][];
  sql: string;
  format: string;
  id: string;
  insert: Insert | null;
};

export type Insert = { table: string; values: Buffer; format: 'JSONEachRow'; token: string };

export type Engine = (statement: Statement) => Promise<Buffer>;

const { createChdbConnection } = createRequire(import.meta.url)('chdb/connection') as {
  createChdbConnection(options: { path: string }): ChdbConnection;
};

export function openEngine(directory: string): Engine {
  checkWasmBounds();
  process.env.UV_THREADPOOL_SIZE ??= '48';
  /** Connections that no statement uses, by their database and settings. */
  const idle = new Map<string, ChdbConnection[]>();

  async function connection(key: string, database: string, settings: [string, string][]): Promise<ChdbConnection> {
    const free = idle.get(key)?.pop();
    if (free) return free;
    const opened = createChdbConnection({ path: directory });
    if (database !== 'default') await opened.chdb.queryAsync(`USE ${database}`);
    const given = settings.map(([name, value]) => `${name} = ${quote(value)}`).join(', ');
    if (given !== '') await opened.chdb.queryAsync(`SET ${given}`);
    return opened;
  }

  const first = createChdbConnection({ path: directory });
  restoreDefaultSignals();
  idle.set('first', [first]); // the directory stays open

  /** Runs a statement on a connection of its own. After a failure the connection is not used again: it has left-over rows. */
  return async ({ database, settings, sql, format, id, insert }) => {
    const key = JSON.stringify([database, settings]);
    const own = await connection(key, database, settings);
    try {
      const answer = insert
        ? await insertRows(own, insert, settings)
        : Buffer.from((await own.chdb.queryAsync(`/* ${id} */ ${sql}`, { format })).bytes());
      idle.set(key, [...(idle.get(key) ?? []), own]);
      return answer;
    } catch (error) {
      own.close();
      throw error;
    }
  };
}

async function insertRows(
  { chdb }: ChdbConnection,
  { table, values, format, token }: Insert,
  settings: [string, string][],
): Promise<Buffer> {
  const ofInsert = token === '' ? [] : [['insert_deduplication_token', token]];
  await chdb.rawInsert({ table, values, format, settings: Object.fromEntries([...settings, ...ofInsert]) });
  return Buffer.alloc(0);
}

const quote = (text: string) => `'${text.replaceAll(/[\\']/g, (sign) => `\\${sign}`)}'`;
