import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { startSwift } from '../e2e/stores/swift-server.ts';
import { type Front, startFront } from '../src/store/clickhouse/server/testing/start-front.ts';
import { startTestServer } from '../src/store/postgres/testing/postgres-server.ts';
import { benchProject, countCalls, type Heddle, startHeddle } from './support/heddle.ts';
import { quantile, send, sendAll } from './support/load.ts';
import { otlpShots } from './support/otlp-shots.ts';
import { report } from './support/report.ts';

/**
 * What stores outside the process cost: spans of 5.4 kB a second, the newest 50 traces, and the memory of the heddle process,
 * right after the work and when idle. Embedded stores alternate with PostgreSQL, OpenStack Swift and a front over chDB in place
 * of ClickHouse. Servers and client share the machine. The front is not a ClickHouse server: its speed is that of chDB.
 */

const [traces, spansPerTrace, connections, rounds, reads] = [2_000, 12, 48, 3, 100];

const frontDirectory = mkdtempSync(join(tmpdir(), 'heddle-bench-front-'));
const [front, postgres, swift] = await Promise.all([
  startFront(frontDirectory),
  startTestServer(),
  startSwift('heddle'),
]);

/** The server returns memory to the system after 5 s without work (`util/release-memory.ts`). */
const idleMs = 12_000;

type Figures = { rates: number[]; listMs: number[]; megabytes: number[]; idleMegabytes: number[] };
const figures: Record<string, Figures> = {};
for (let round = 0; round < rounds; round++) {
  await measure('embedded', {});
  await measure('servers', {
    HEDDLE_CLICKHOUSE_URL: front.url(`bench${round}`),
    HEDDLE_POSTGRES_URL: await postgres.createDatabase(),
    HEDDLE_BLOBS_URL: `s3://heddle/bench${round}?endpoint=${swift.endpoint}`,
    HEDDLE_SECRET_KEY: ''.padEnd(64, '0'),
    ...swift.credentials,
  });
}
for (const [kind, { rates, listMs, megabytes, idleMegabytes }] of Object.entries(figures)) {
  report(kind, {
    'spans/s': quantile(rates, 0.5),
    'newest 50 traces, ms p50': quantile(listMs, 0.5),
    'MB of memory': quantile(megabytes, 0.5),
    'MB of memory when idle': quantile(idleMegabytes, 0.5),
  });
}
const [embedded, servers] = [figures.embedded!, figures.servers!];
report('servers / embedded', {
  'spans/s (0.7 wanted)': quantile(servers.rates, 0.5) / quantile(embedded.rates, 0.5),
  'newest 50 traces (1.5 wanted)': quantile(servers.listMs, 0.5) / quantile(embedded.listMs, 0.5),
});
await Promise.all([front.kill(), postgres.close(), swift.stop()]);
rmSync(frontDirectory, { recursive: true, force: true });

async function measure(kind: string, settings: Record<string, string>): Promise<void> {
  figures[kind] ??= { rates: [], listMs: [], megabytes: [], idleMegabytes: [] };
  const { rates, listMs, megabytes, idleMegabytes } = figures[kind];
  const heddle = await startHeddle(undefined, settings);
  const { hits, seconds } = await sendAll(heddle.address, otlpShots(heddle.key, traces, spansPerTrace), connections);
  const refused = hits.filter(({ status }) => status !== 200);
  if (refused.length > 0) throw new Error(`${refused.length} requests were refused: ${refused[0]!.text}`);
  if ((await countCalls(heddle)) !== traces * spansPerTrace) throw new Error('not every span is visible');
  rates.push((traces * spansPerTrace) / seconds);
  listMs.push(...(await list(heddle)));
  megabytes.push(heddle.residentBytes() / 1e6);
  if (kind === 'servers') await checkServers(heddle, front);
  await setTimeout(idleMs);
  idleMegabytes.push(heddle.residentBytes() / 1e6);
  await heddle.stop();
  heddle.remove();
}

async function list({ address, key }: Heddle): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  const sort_by = [{ field: 'started_at', direction: 'desc' }];
  const query = { project_id: benchProject, sort_by, limit: 50, filter: { trace_roots_only: true } };
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
  const shot = { path: '/calls/stream_query', headers, body: Buffer.from(JSON.stringify(query)) };
  const ms: number[] = [];
  for (let i = 0; i < reads; i++) ms.push((await send(address, agent, shot)).ms);
  agent.destroy();
  return ms;
}

/** No database is loaded into the process, and its connections are few. */
async function checkServers({ pid }: Heddle, { counts }: Front): Promise<void> {
  if (/chdb/.test(readFileSync(`/proc/${pid}/maps`, 'utf8'))) throw new Error('libchdb is loaded');
  const { statements, sockets } = await counts();
  report('front', { statements, sockets });
}
