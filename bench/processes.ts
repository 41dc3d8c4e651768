import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
import type { Figures, Measured } from './support/processes/figures.ts';
import { report } from './support/report.ts';

/**
 * What more processes on the same stores cost: calls a second of one and of several processes, with their statements, inserts and
 * processor time for 1,000 calls, and what a write takes at one process and through HAProxy in front of several. PostgreSQL,
 * OpenStack Swift and a front over chDB in place of ClickHouse, so the speed of the stores is not that of servers. All
 * processes and the client share the machine. The runs of one and of several alternate.
 *
 *     npm run bench -- processes [counts = 1,3] [rounds = 3] [a word that the loads to run have] [a file for the figures]
 *
 * `npm run bench -- simulate` reads the file.
 */

const processCounts = (process.argv[2] ?? '1,3').split(',').map(Number);
const rounds = Number(process.argv[3] ?? 3);
const chosen = process.argv[4] ?? '';
const file = process.argv[5];

/** Requests of one phase are sent once those of the phase before are answered. */
type Load = {
  name: string;
  calls: number;
  requests: number;
  writesPerRequest: number;
  connections: number;
  phases: (key: string, calls: number, seed: number) => Shot[][];
};

const all: Load[] = [
  {
    name: 'spans, 12 a request',
    calls: 24_000,
    requests: 2_000,
    writesPerRequest: 12,
    connections: 144,
    phases: (key, calls, seed) => [otlpShots(key, calls / 12, 12, seed * 10_000)],
  },
  {
    name: 'complete calls, 100 a request',
    calls: 20_000,
    requests: 200,
    writesPerRequest: 100,
    connections: 48,
    phases: (key, calls, seed) => [completeShots(key, calls, 100, seed)],
  },
  {
    name: 'start and end together, 50 calls a request',
    calls: 20_000,
    requests: 400,
    writesPerRequest: 100,
    connections: 48,
    phases: (key, calls, seed) => [upsertShots(key, calls, 50, seed)],
  },
  {
    name: 'starts, then ends, 50 calls a request',
    calls: 20_000,
    requests: 800,
    writesPerRequest: 50,
    connections: 48,
    phases: (key, calls, seed) => startAndEndShots(key, calls, 50, seed),
  },
];
/** For each process: enough for V8 to compile what is used often. */
const warmUpCalls = 3_000;
const loads = all.filter(({ name }) => name.includes(chosen));

const frontDirectory = mkdtempSync(join(tmpdir(), 'heddle-bench-front-'));
const [front, postgres, swift] = await Promise.all([
  startFront(frontDirectory),
  startTestServer(),
  startSwift('heddle'),
]);
let deployments = 0;

const measured: Measured[] = [];
for (const load of loads) {
  const figures = new Map(processCounts.map((processes) => [processes, [] as Figures[]]));
  for (let round = 0; round < rounds; round++) {
    for (const [processes, of] of figures) of.push(await measure(processes, load));
  }
  const medians = [...figures].map(([processes, of]) => ({ processes, ...mediansOf(of) }));
  for (const each of medians) show(`${load.name}: ${each.processes}`, each);
  for (const { processes, rate } of medians.slice(1)) {
    report('', { [`times the calls/s of ${processCounts[0]} at ${processes} (0.9 wanted)`]: rate / medians[0]!.rate });
  }
  const { name, phases, ...of } = load;
  measured.push({ load: name, ...of, bytesPerRequest: bytesPerRequest(phases('', load.calls, 1)), figures: medians });
}
if (file !== undefined) writeFileSync(file, `${JSON.stringify(measured, null, 2)}\n`);
if (chosen === '' || chosen === 'latency') await compareLatencies();

await Promise.all([front.kill(), postgres.close(), swift.stop()]);
rmSync(frontDirectory, { recursive: true, force: true });

function mediansOf(figures: Figures[]): Figures {
  const names = Object.keys(figures[0]!) as (keyof Figures)[];
  return Object.fromEntries(names.map((name) => [name, median(figures.map((each) => each[name]))])) as Figures;
}

function bytesPerRequest(phases: Shot[][]): number {
  const shots = phases.flat();
  return shots.reduce((sum, { body }) => sum + body.length, 0) / shots.length;
}

function show(name: string, figures: Figures): void {
  report(name, {
    'calls/s': figures.rate,
    'ms p50': figures.p50,
    'ms p99': figures.p99,
    'for 1,000 calls: statements': figures.statements,
    inserts: figures.inserts,
    'PostgreSQL transactions': figures.transactions,
    'CPU s of heddle': figures.cpuOfHeddle,
    'of stores': figures.cpuOfStores,
    'of the client': figures.cpuOfClient,
  });
}

/**
 * Sends a load to processes, in turns; what the phases have of one call, to different processes. First, each
 * process gets `warmUpCalls`, which are not counted.
 */
async function measure(processes: number, { calls, connections, phases }: Load): Promise<Figures> {
  const { heddles, database, remove } = await start(processes);
  const [{ key }] = heddles as [Heddle];
  const warmUp = processes * warmUpCalls;
  for (const [turn, phase] of phases(key, warmUp, 1).entries()) await sendInTurns(heddles, phase, turn, connections);
  const shots = phases(key, calls, 2);
  await setTimeout(2_000); // PostgreSQL reports its transactions once a second
  const before = await counts(heddles, database);
  const ms: number[] = [];
  let seconds = 0;
  for (const [turn, phase] of shots.entries()) {
    const sent = await sendInTurns(heddles, phase, turn, connections);
    const hits = sent.flatMap((each) => each.hits);
    ms.push(...hits.map((hit) => hit.ms));
    seconds += Math.max(...sent.map((each) => each.seconds));
  }
  const after = await counts(heddles, database);
  for (const heddle of heddles) {
    if ((await countCalls(heddle)) !== warmUp + calls) throw new Error('not every call is visible');
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
    cpuOfHeddle: each(after.cpuOfHeddle - before.cpuOfHeddle),
    cpuOfStores: each(after.cpuOfAll - after.cpuOfHeddle - before.cpuOfAll + before.cpuOfHeddle),
    cpuOfClient: each(after.cpuOfClient - before.cpuOfClient),
  };
}

async function sendInTurns(heddles: Heddle[], phase: Shot[], turn: number, connections: number) {
  const processes = heddles.length;
  const sent = await Promise.all(
    heddles.map(({ address }, i) =>
      sendAll(
        address,
        phase.filter((_, index) => (index + turn) % processes === i),
        connections / processes,
      ),
    ),
  );
  const refused = sent.flatMap(({ hits }) => hits.filter(({ status }) => status !== 200));
  if (refused.length > 0) throw new Error(`${refused.length} requests were refused: ${refused[0]!.text}`);
  return sent;
}

/** What one write takes that waits for nothing else: at one process, and through a balancer in front of several. */
async function compareLatencies(): Promise<void> {
  const several = Math.max(...processCounts);
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
      const many = await start(several);
      const balancer = await startBalancer(many.heddles.map(({ address }) => address));
      ofSeveral.push(...(await sendOneByOne(balancer.address, make(many.heddles[0]!.key))));
      await balancer.stop();
      await many.remove();
    }
    report(`${name}, ms p50`, {
      'at one': median(ofOne),
      [`through a balancer to ${several}`]: median(ofSeveral),
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
    cpuOfAll: cpuSecondsOfChildren(),
    cpuOfClient: process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6,
    cpuOfHeddle: heddles.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0),
  };
}

function median(values: number[]): number {
  return quantile(values, 0.5);
}
