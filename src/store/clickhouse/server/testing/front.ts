/**
 * A double of a ClickHouse server, for tests: the HTTP interface over chDB, in a process of its own. SQL, types, formats and
 * table engines are real; users, their grants, the HTTP layer and what goes wrong are not. There are no replicas and no asynchronous
 * inserts. Arguments: the directory. It prints the port that it listens on.
 */

import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gunzip, zstdDecompress } from 'node:zlib';
import type { ChdbConnection } from 'chdb/connection';
import { checkWasmBounds, restoreDefaultSignals } from '../../embedded/signals.ts';
import { missingPrivilege } from './grants.ts';
import type { Counts, Fault } from './start-front.ts';

checkWasmBounds();
process.env.UV_THREADPOOL_SIZE ??= '48';
const [directory] = process.argv.slice(2);
const user = { name: 'heddle', password: process.env.FRONT_PASSWORD ?? 'secret word' };

const { createChdbConnection } = createRequire(import.meta.url)('chdb/connection') as {
  createChdbConnection(options: { path: string }): ChdbConnection;
};

/** Connections that no statement uses, by their database and settings. */
const idle = new Map<string, ChdbConnection[]>();

async function connection(key: string, database: string, settings: [string, string][]): Promise<ChdbConnection> {
  const free = idle.get(key)?.pop();
  if (free) return free;
  const opened = createChdbConnection({ path: directory! });
  if (database !== 'default') await opened.chdb.queryAsync(`USE ${database}`);
  const given = settings.map(([name, value]) => `${name} = ${quote(value)}`).join(', ');
  if (given !== '') await opened.chdb.queryAsync(`SET ${given}`);
  return opened;
}

const quote = (text: string) => `'${text.replaceAll(/[\\']/g, (sign) => `\\${sign}`)}'`;

/** Runs a statement on a connection of its own. After a failure the connection is not used again: it has left-over rows. */
async function run(request: Statement): Promise<Buffer> {
  const { database, settings, sql, format, id } = request;
  const key = JSON.stringify([database, settings]);
  const own = await connection(key, database, settings);
  try {
    const answer = request.insert
      ? await own.chdb
          .rawInsert({ ...request.insert, settings: Object.fromEntries(settings) })
          .then(() => Buffer.alloc(0))
      : Buffer.from((await own.chdb.queryAsync(`/* ${id} */ ${sql}`, { format })).bytes());
    idle.set(key, [...(idle.get(key) ?? []), own]);
    return answer;
  } catch (error) {
    own.close();
    throw error;
  }
}

type Statement = {
  database: string;
  settings: [string, string][];
  sql: string;
  format: string;
  id: string;
  insert: { table: string; values: Buffer; format: 'JSONEachRow' } | null;
};

const notSettings = new Set([
  'query',
  'database',
  'query_id',
  'default_format',
  'enable_http_compression',
  'insert_deduplication_token',
]);

async function read(request: IncomingMessage): Promise<Statement> {
  const { searchParams } = new URL(request.url!, 'http://front');
  const body = await decoded(await buffer(request), request.headers['content-encoding']);
  const query = searchParams.get('query') ?? '';
  const insert = /^\s*INSERT INTO (\S+) FORMAT JSONEachRow\s*$/.exec(query);
  const whole = insert ? query : query + body.toString();
  const [end = '', format = 'TabSeparated'] = /\sFORMAT\s+(\w+)\s*$/.exec(whole) ?? [];
  // chDB has no ids of statements: they are in the comment in front.
  const bare = whole.slice(0, whole.length - end.length);
  const sql = /system\.processes|^KILL QUERY/.test(bare)
    ? bare.replaceAll(/\bquery_id\b/g, "extract(query, '^/\\\\* (\\\\S+) \\\\*/')")
    : bare;
  return {
    database: searchParams.get('database') ?? 'default',
    settings: [...searchParams].filter(([name]) => !notSettings.has(name)),
    id: searchParams.get('query_id') ?? 'none',
    insert: insert ? { table: insert[1]!, values: body, format: 'JSONEachRow' } : null,
    sql,
    format,
  };
}

async function decoded(body: Buffer, encoding: string | undefined): Promise<Buffer> {
  if (encoding === 'gzip') return promisify(gunzip)(body);
  return encoding === 'zstd' ? promisify(zstdDecompress)(body) : body;
}

const counts: Counts = { sockets: 0, statements: 0, inserts: {} };
function countInsert(table: string): void {
  counts.inserts[table] ??= [];
  counts.inserts[table].push(performance.now());
}

let faults: Fault[] = [];

function takeFault(sql: string): Fault | undefined {
  const fault = faults.find(({ statement, times }) => times > 0 && sql.includes(statement));
  if (fault) fault.times--;
  return fault;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  const { pathname } = new URL(request.url!, 'http://front');
  if (pathname === '/double/faults') {
    faults = JSON.parse((await buffer(request)).toString());
    return response.end();
  }
  if (pathname === '/double/counts') return response.end(JSON.stringify(counts));
  const statement = await read(request);
  counts.statements++;
  if (statement.insert) countInsert(statement.insert.table);
  if (request.headers.authorization !== `Basic ${btoa(`${user.name}:${user.password}`)}`) {
    return fail(response, 'Code: 516. DB::Exception: Authentication failed. (AUTHENTICATION_FAILED)');
  }
  const missing = missingPrivilege(statement.sql);
  if (missing) return fail(response, `Code: 497. DB::Exception: Not enough privileges: ${missing}. (ACCESS_DENIED)`);
  const fault = takeFault(statement.sql);
  if (fault?.kind === 'slow') await new Promise((resolve) => setTimeout(resolve, fault.ms));
  if (fault?.kind === 'error') return fail(response, injected(fault));
  if (fault?.kind === 'refuse') return request.socket.destroy();
  try {
    return deliver(response, await run(statement), fault);
  } catch (error) {
    return fail(response, (error as Error).message);
  }
}

function deliver(response: ServerResponse, bytes: Buffer, fault: Fault | undefined): void {
  if (fault?.kind === 'unanswered') return void response.socket!.destroy();
  const tag = randomBytes(8).toString('hex');
  response.setHeader('x-clickhouse-exception-tag', tag);
  if (fault?.kind !== 'cut' && fault?.kind !== 'exception') return void response.end(bytes);
  response.write(bytes.subarray(0, Math.ceil(bytes.length / 2)));
  if (fault.kind === 'cut') return void setTimeout(() => response.socket!.destroy(), 50);
  const text = injected(fault);
  response.end(`\r\n__exception__\r\n${tag}\r\n${text}\n${text.length + 1} ${tag}\r\n__exception__\r\n`);
}

const injected = ({ code }: Fault) => `Code: ${code}. DB::Exception: Injected fault. (INJECTED_FAULT)`;

const statuses: Record<string, number> = { 516: 403, 62: 400, 81: 404, 60: 404, 241: 500 };

function fail(response: ServerResponse, message: string): void {
  const code = /Code: (\d+)/.exec(message)?.[1] ?? '1002';
  response.writeHead(statuses[code] ?? 500, { 'x-clickhouse-exception-code': code });
  response.end(message);
}

const first = createChdbConnection({ path: directory! });
restoreDefaultSignals();
idle.set('first', [first]); // the directory stays open
const server = createServer({ maxHeaderSize: 1024 * 1024 }, (request, response) => {
  void answer(request, response).catch((error) => fail(response, String(error)));
});
server.on('connection', () => counts.sockets++);
server.listen(Number(process.env.FRONT_PORT ?? 0), '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
