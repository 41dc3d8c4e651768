import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { startSwift } from '../e2e/stores/swift-server.ts';
import { startFront } from '../src/store/clickhouse/server/testing/start-front.ts';
import { startTestServer } from '../src/store/postgres/testing/postgres-server.ts';
import { completeShots, startAndEndShots, upsertShots } from './support/call-shots.ts';
import { countCalls, type Heddle, startHeddle } from './support/heddle.ts';
import { quantile, type Shot, send, sendAll } from './support/load.ts';
import { otlpShots } from './support/otlp-shots.ts';
import { startBalancer } from './support/processes/balancer.ts';
import { cpuSeconds, cpuSecondsOfChildren } from './support/processes/cpu-time.ts';
import { report } from './support/report.ts';

/**
 * What more processes on the same stores cost: calls a second of one and of several processes, with their statements, inserts and
 * processor time for 1,000 calls, and what a write takes at one process and through HAProxy in front of several. PostgreSQL,
 * OpenStack Swift and a front over chDB in place of ClickHouse, so the speed of the stores is not that of servers. All
 * processes and the client share the machine. The runs of one and of several alternate.
 *
 *     npm run bench -- processes [count = 3] [rounds = 3] [a word that the loads to run have]
 */

const count = Number(process.argv[2] ?? 3);
const rounds = Number(process.argv[3] ?? 3);
const chosen = process.argv[4] ?? '';

/** Requests of one phase are sent once those of the phase before are answered. */
type Load = { name: string; calls: number; connections: number; phases: (key: string) => Shot[][] };

const all: Load[] = [
  {
    name: 'spans, 12 a request',
    calls: 24_000,
    connections: 48,
    phases: (key) => [otlpShots(key, 2_000, 12)],
  },
  {
    name: 'complete calls, 100 a request',
    calls: 20_000,
    connections: 16,
    phases: (key) => [completeShots(key, 20_000, 100)],
  },
  {
    name: 'start and end together, 50 calls a request',
    calls: 20_000,
    connections: 16,
    phases: (key) => [upsertShots(key, 20_000, 50)],
  },
  {
    name: 'starts, then ends, 50 calls a request',
    calls: 20_000,
    connections: 16,
    phases: (key) => startAndEndShots(key, 20_000, 50),
  },
];
const loads = all.filter(({ name }) => name.includes(chosen));

type Figures = {
  rate: number;
  p50: number;
  p99: number;
  statements: number;
  inserts: number;
  transactions: number;
  cpu: number;
  cpuOfHeddle: number;
};

const frontDirectory = mkdtempSync(join(tmpdir(), 'heddle-bench-front-'));
const [front, postgres, swift] = await Promise.all([
  startFront(frontDirectory),
  startTestServer(),
  startSwift('heddle'),
]);
let deployments = 0;

for (const load of loads) {
  const ofOne: Figures[] = [];
  const ofSeveral: Figures[] = [];
  for (let round = 0; round < rounds; round++) {
    ofOne.push(await measure(1, load));
    ofSeveral.push(await measure(count, load));
  }
  show(`${load.name}: 1`, ofOne);
  show(`${load.name}: ${count}`, ofSeveral);
  const ratio = median(ofSeveral.map(({ rate }) => rate)) / median(ofOne.map(({ rate }) => rate));
  report('', { 'times the calls/s of one (0.9 wanted)': ratio });
}
if (chosen === '' || chosen === 'latency') await compareLatencies();

await Promise.all([front.kill(), postgres.close(), swift.stop()]);
rmSync(frontDirectory, { recursive: true, force: true });

function show(name: string, figures: Figures[]): void {
  const of = (key: keyof Figures) => median(figures.map((each) => each[key]));
  report(name, {
    'calls/s': of('rate'),
    'ms p50': of('p50'),
    'ms p99': of('p99'),
    'for 1,000 calls: statements': of('statements'),
    inserts: of('inserts'),
    'PostgreSQL transactions': of('transactions'),
    'CPU s': of('cpu'),
    'CPU s of heddle': of('cpuOfHeddle'),
  });
}

/** Sends a load to processes on empty stores, in turns; what the phases have of one call, to different processes. */
async function measure(processes: number, { calls, connections, phases }: Load): Promise<Figures> {
  const { heddles, database, remove } = await start(processes);
  const shots = phases(heddles[0]!.key);
  await setTimeout(1_000); // PostgreSQL reports its transactions once a second
  const before = await counts(heddles, database);
  const ms: number[] = [];
  let seconds = 0;
  for (const [turn, phase] of shots.entries()) {
    const sent = await Promise.all(
      heddles.map(({ address }, i) =>
        sendAll(
          address,
          phase.filter((_, index) => (index + turn) % processes === i),
          connections / processes,
        ),
      ),
    );
    const hits = sent.flatMap((each) => each.hits);
    const refused = hits.filter(({ status }) => status !== 200);
    if (refused.length > 0) throw new Error(`${refused.length} requests were refused: ${refused[0]!.text}`);
    ms.push(...hits.map((hit) => hit.ms));
    seconds += Math.max(...sent.map((each) => each.seconds));
  }
  const after = await counts(heddles, database);
  for (const heddle of heddles) {
    if ((await countCalls(heddle)) !== calls) throw new Error('not every call is visible');
  }
  await setTimeout(1_500);
  const transactions = (await counts(heddles, database)).transactions - before.transactions;
  await remove();
  const each = (value: number) => (value * 1000) / calls;
  return {
    rate: calls / seconds,
    p50: quantile(ms, 0.5),
    p99: quantile(ms, 0.99),
    statements: each(after.statements - before.statements),
    inserts: each(after.inserts - before.inserts),
    transactions: each(transactions),
    cpu: each(after.cpu - before.cpu),
    cpuOfHeddle: each(after.cpuOfHeddle - before.cpuOfHeddle),
  };
}

/** What one write takes that waits for nothing else: at one process, and through a balancer in front of several. */
async function compareLatencies(): Promise<void> {
  const writes: [string, (key: string) => Shot[]][] = [
    ['one complete call', (key) => completeShots(key, 300, 1)],
    ['a trace of 12 spans', (key) => otlpShots(key, 300, 12)],
  ];
  for (const [name, make] of writes) {
    const ofOne: number[] = [];
    const ofSeveral: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const one = await start(1);
      ofOne.push(...(await sendOneByOne(one.heddles[0]!.address, make(one.heddles[0]!.key))));
      await one.remove();
      const several = await start(count);
      const balancer = await startBalancer(several.heddles.map(({ address }) => address));
      ofSeveral.push(...(await sendOneByOne(balancer.address, make(several.heddles[0]!.key))));
      await balancer.stop();
      await several.remove();
    }
    report(`${name}, ms p50`, {
      'at one': median(ofOne),
      [`through a balancer to ${count}`]: median(ofSeveral),
      'more (2 wanted)': median(ofSeveral) - median(ofOne),
    });
  }
}

/** With pauses, so that no write waits for the merges of those before. */
async function sendOneByOne(address: string, shots: Shot[]): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  const ms: number[] = [];
  for (const shot of shots) {
    const hit = await send(address, agent, shot);
    if (hit.status !== 200) throw new Error(hit.text);
    ms.push(hit.ms);
    await setTimeout(50);
  }
  agent.destroy();
  return ms;
}

async function start(processes: number) {
  const id = deployments++;
  const database = await postgres.createDatabase();
  const settings = {
    HEDDLE_CLICKHOUSE_URL: front.url(`bench${id}`),
    HEDDLE_POSTGRES_URL: database,
    HEDDLE_BLOBS_URL: `s3://heddle/bench${id}?endpoint=${swift.endpoint}`,
    HEDDLE_SECRET_KEY: ''.padEnd(64, '0'),
    ...swift.credentials,
  };
  const heddles: Heddle[] = [];
  for (let i = 0; i < processes; i++) heddles.push(await startHeddle(undefined, settings));
  async function remove(): Promise<void> {
    await Promise.all(heddles.map((heddle) => heddle.stop()));
    for (const heddle of heddles) heddle.remove();
  }
  return { heddles, database, remove };
}

async function counts(heddles: Heddle[], database: string) {
  const { statements, inserts } = await front.counts();
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const { rows } = await client.query(
    'SELECT xact_commit + xact_rollback AS transactions FROM pg_stat_database WHERE datname = current_database()',
  );
  await client.end();
  return {
    statements,
    inserts: Object.values(inserts).flat().length,
    transactions: Number(rows[0].transactions),
    cpu: cpuSecondsOfChildren(),
    cpuOfHeddle: heddles.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0),
  };
}

function median(values: number[]): number {
  return quantile(values, 0.5);
}
