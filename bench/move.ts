import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSwift } from '../e2e/stores/swift-server.ts';
import { startFront } from '../src/store/clickhouse/server/testing/start-front.ts';
import { startTestServer } from '../src/store/postgres/testing/postgres-server.ts';
import { heddleCommand } from '../testing/heddle-process.ts';
import { completeShots } from './support/call-shots.ts';
import { benchProject, startHeddle } from './support/heddle.ts';
import { type Shot, sendAll } from './support/load.ts';
import { report } from './support/report.ts';

/**
 * How long `heddle move` takes from embedded stores to servers and back, and the most memory it needs. The servers are a front over
 * chDB in place of ClickHouse, PostgreSQL, and OpenStack Swift in place of S3, on the same machine. The arguments are the number
 * of calls in thousands (300), the size of each in kB (2), the number of files (one for every 150 calls), and the size of each in
 * kB (200). An object of 1 kB comes with every 30 calls.
 */

const given = process.argv.slice(2).map(Number);
const [thousands = 300, callKilobytes = 2] = given;
const calls = thousands * 1000;
const [, , files = Math.round(calls / 150), fileKilobytes = 200] = given;
const objects = Math.round(calls / 30);

const frontDirectory = mkdtempSync(join(tmpdir(), 'heddle-bench-front-'));
const [front, postgres] = await Promise.all([startFront(frontDirectory), startTestServer()]);
const swift = await startSwift('heddle');

const source = await startHeddle();
const headers = { authorization: `Bearer ${source.key}` };
const json = (path: string, body: object): Shot => ({
  path,
  headers: { ...headers, 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(body)),
});
await fill(callShots());
await fill(
  times(objects, (i) =>
    json('/obj/create', { obj: { project_id: benchProject, object_id: `o${i}`, val: { text: text(1000) } } }),
  ),
);
await fill(times(files, () => fileShot(text(1000 * fileKilobytes))));
await source.stop();

const servers = {
  HEDDLE_CLICKHOUSE_URL: front.url('bench'),
  HEDDLE_POSTGRES_URL: await postgres.createDatabase(),
  HEDDLE_BLOBS_URL: `s3://heddle/bench?endpoint=${swift.endpoint}`,
  ...swift.credentials,
};
const back = mkdtempSync(join(tmpdir(), 'heddle-bench-back-'));
await move('to servers', source.data, ['--from', 'embedded', '--to', 'env']);
await move('back', back, ['--from', 'env', '--to', 'embedded']);

source.remove();
await Promise.all([front.kill(), postgres.close(), swift.stop()]);
for (const each of [frontDirectory, back]) rmSync(each, { recursive: true, force: true });

async function move(name: string, data: string, words: string[]): Promise<void> {
  const [program, ...given] = heddleCommand;
  const env = { ...process.env, ...servers };
  const startedAt = performance.now();
  const child = spawn(program!, [...given, 'move', '--data', data, ...words], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let progress = '';
  child.stdout.resume();
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    progress += piece;
  });
  let peakBytes = 0;
  const watch = setInterval(() => {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    peakBytes = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024 || peakBytes;
  }, 200);
  const [code] = await once(child, 'exit');
  clearInterval(watch);
  if (code !== 0) throw new Error(`heddle move ended with status ${code}: ${progress}`);
  report(name, {
    seconds: (performance.now() - startedAt) / 1000,
    'rows and files/s': (calls + objects + files) / ((performance.now() - startedAt) / 1000),
    'MB of memory at most': peakBytes / 1e6,
  });
}

/** A few thousand at a time are in memory. */
function* callShots(): Generator<Shot> {
  for (let seed = 1; seed <= thousands; seed++) yield* completeShots(source.key, 1000, 500, seed, callKilobytes);
}

function* times<Made>(count: number, make: (i: number) => Made): Generator<Made> {
  for (let i = 0; i < count; i++) yield make(i);
}

async function fill(shots: Iterable<Shot>): Promise<void> {
  const { hits } = await sendAll(source.address, shots, 16);
  const refused = hits.find(({ status }) => status !== 200);
  if (refused) throw new Error(`a request was refused: ${refused.text}`);
}

function fileShot(content: string): Shot {
  const boundary = randomUUID();
  const part = (words: string, value: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; ${words}\r\n\r\n${value}\r\n`;
  const body = `${part('name="project_id"', benchProject)}${part('name="file"; filename="f"', content)}--${boundary}--\r\n`;
  return {
    path: '/file/create',
    headers: { ...headers, 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.from(body),
  };
}

/** Text that is not the same twice. */
function text(length: number): string {
  const id = randomUUID();
  return id.repeat(Math.ceil(length / id.length)).slice(0, length);
}
