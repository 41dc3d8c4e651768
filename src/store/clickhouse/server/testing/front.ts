/**
 * A double of a ClickHouse server, for tests: the HTTP interface over chDB, in a process of its own. SQL, types, formats and
 * table engines are real; users, their grants, the HTTP layer and what goes wrong are not. There are no asynchronous inserts.
 * Arguments: the directory. It prints the ports of the replicas, and the one that tests control it by (`start-front.ts`).
 */

import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gunzip, zstdDecompress } from 'node:zlib';
import { type Engine, openEngine, type Statement } from './engine.ts';
import { missingPrivilege } from './grants.ts';
import { openReplicas, type Replica } from './replicas.ts';
import type { Counts, Fault } from './start-front.ts';

const [directory] = process.argv.slice(2);
const user = { name: 'heddle', password: process.env.FRONT_PASSWORD ?? 'secret word' };
const kind = process.env.FRONT_KIND ?? 'single';

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
  const token = searchParams.get('insert_deduplication_token') ?? '';
  return {
    database: searchParams.get('database') ?? 'default',
    settings: [...searchParams].filter(([name]) => !notSettings.has(name)),
    id: searchParams.get('query_id') ?? 'none',
    insert: insert ? { table: insert[1]!, values: body, format: 'JSONEachRow', token } : null,
    sql,
    format,
  };
}

async function decoded(body: Buffer, encoding: string | undefined): Promise<Buffer> {
  if (encoding === 'gzip') return promisify(gunzip)(body);
  return encoding === 'zstd' ? promisify(zstdDecompress)(body) : body;
}

const counts: Counts = { sockets: 0, statements: 0, inserts: {}, settings: {} };

function count({ insert, settings }: Statement): void {
  counts.statements++;
  if (insert) {
    counts.inserts[insert.table] ??= [];
    counts.inserts[insert.table]!.push(performance.now());
  }
  for (const [name, value] of settings) {
    if (!/^(insert_quorum|select_sequential)/.test(name)) continue;
    const key = `${name}=${value}`;
    counts.settings[key] = (counts.settings[key] ?? 0) + 1;
  }
}

let faults: Fault[] = [];

function takeFault(sql: string): Fault | undefined {
  const fault = faults.find(({ statement, times }) => times > 0 && sql.includes(statement));
  if (fault) fault.times--;
  return fault;
}

/** Whether the request is one of the tests to the front itself. */
async function control(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
  const { pathname } = new URL(request.url!, 'http://front');
  if (!pathname.startsWith('/double/')) return false;
  if (pathname === '/double/faults') faults = JSON.parse((await buffer(request)).toString());
  if (pathname === '/double/replicas') await replicas.set(JSON.parse((await buffer(request)).toString()));
  response.end(pathname === '/double/counts' ? JSON.stringify(counts) : '');
  return true;
}

async function answer(request: IncomingMessage, response: ServerResponse, replica: Replica): Promise<unknown> {
  if (await control(request, response)) return;
  const statement = await read(request);
  await replica.whenReachable();
  if (replica.isDead) return request.socket.destroy();
  response.setHeader('x-clickhouse-server-display-name', replica.displayName());
  count(statement);
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
    const bytes = await replica.run(statement, fault?.kind === 'quorum');
    await replica.whenReachable();
    if (replica.isDead) return request.socket.destroy();
    return deliver(response, bytes, fault);
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

function serve(replica: Replica): Server {
  const server = createServer({ maxHeaderSize: 1024 * 1024 }, (request, response) => {
    void answer(request, response, replica).catch((error) => fail(response, String(error)));
  });
  server.on('connection', (socket) => {
    counts.sockets++;
    if (replica.isDead) socket.destroy();
    replica.onDeath(() => socket.destroy());
  });
  return server;
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const engine: Engine = openEngine(directory!);
const replicas = openReplicas(kind, engine);
await replicas.prepare();
const ports = (process.env.FRONT_PORTS ?? '').split(' ').map(Number);
const opened = [];
for (const [index, replica] of replicas.all.entries()) opened.push(await listen(serve(replica), ports[index] ?? 0));
const controlServer = createServer((request, response) => void control(request, response));
opened.push(await listen(controlServer, ports[replicas.all.length] ?? 0));
process.stdout.write(`${opened.join(' ')}\n`);
