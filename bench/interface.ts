import { readdirSync, statSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { contains, test } from './support/ask.ts';
import { benchProject, type Heddle } from './support/heddle.ts';
import { completeBatches, longTrace, newest, post, startWithCalls } from './support/interface-store.ts';
import { quantile, type Shot, send, sendAll } from './support/load.ts';
import { callSpacing, incidents, incidentWord, realisticCall } from './support/realistic-calls.ts';
import { report } from './support/report.ts';

/**
 * How soon a server answers what people ask of a project of many calls among ten, over HTTP: at rest, and while calls
 * come in at half of the highest rate. `node bench/interface.ts [--calls 10000,100000,1000000]`. The store of a million
 * takes some minutes to make and 4 GB below `HEDDLE_BENCH_DIR` or the system's temporary directory; it is kept.
 */

type Question = { name: string; aimMs: number; path: string; body(i: number, calls: number): object };

const newestFirst = [{ field: 'started_at', direction: 'desc' }];
const newest50 = { sort_by: newestFirst, limit: 50 };
const where = (expr: unknown) => ({ query: { $expr: expr } });
const stream = (name: string, aimMs: number, body: Question['body']): Question => ({
  name,
  aimMs,
  path: '/calls/stream_query',
  body: (i, calls) => ({ ...newest50, ...body(i, calls) }),
});
const warmUpCalls = 20_000;
const month = { start: iso(newest - 30 * 86_400e6), end: iso(newest + 3_600e6), granularity: 3600 };

const questions: Question[] = [
  stream('newest 50 roots', 60, () => ({ filter: { trace_roots_only: true } })),
  {
    name: 'one call by id',
    aimMs: 20,
    path: '/call/read',
    body: (i, calls) => ({ id: nthCall((i * 7919 * 13 + 977) % calls, calls).id }),
  },
  stream('a trace of 12', 50, (i, calls) => {
    const { traceId } = nthCall((i * 7919 * 13 + 977) % calls, calls);
    return { filter: { trace_ids: [traceId] }, sort_by: null, limit: null };
  }),
  stream('newest 50 roots with costs and feedback', 150, () => ({
    filter: { trace_roots_only: true },
    include_costs: true,
    include_feedback: true,
  })),
  stream('equality, 1 call in 100', 250, (i) => where(test('$eq', 'attributes.tag', `t${i}`))),
  stream('equality, 1 call in 10,000', 250, (i) => where(test('$eq', 'inputs.customer.name', `customer-${i * 13}`))),
  stream('comparison, 1 call in 10,000', 400, (i) => where(test('$gt', 'output.score', 0.9999 - i / 1e7))),
  stream('the 50 of the highest score', 400, () => ({ sort_by: [{ field: 'output.score', direction: 'desc' }] })),
  stream('comparison and sort by it', 400, (i) => ({
    ...where(test('$gt', 'output.score', 0.99 - i / 1e5)),
    sort_by: [{ field: 'output.score', direction: 'asc' }],
  })),
  stream('a word of one call', 150, (i, calls) => where(contains('inputs', incidentWord((i * incidents + 5) % calls)))),
  stream('a word of 1 call in 10,000', 150, () => where(contains('inputs.messages', 'incident'))),
  stream('feedback, a score above 0.9', 250, (i) =>
    where(test('$gt', 'feedback.[quality].payload.score', 0.9 + i / 1e4)),
  ),
  {
    name: 'count of 1 in 100',
    aimMs: 400,
    path: '/calls/query_stats',
    body: (i) => where(test('$eq', 'attributes.tag', `t${i}`)),
  },
  {
    name: 'statistics of 30 days by the hour',
    aimMs: 300,
    path: '/calls/stats',
    body: () => ({
      ...month,
      usage_metrics: ['input_tokens', 'output_tokens', 'total_tokens', 'total_cost'].map((metric) => ({ metric })),
      call_metrics: [
        { metric: 'latency_ms', aggregations: ['avg'], percentiles: [50, 95, 99] },
        { metric: 'call_count' },
        { metric: 'error_count' },
      ],
    }),
  },
  {
    name: 'newest 50 threads',
    aimMs: 300,
    path: '/threads/stream_query',
    body: () => ({ limit: 50 }),
  },
  { name: 'all threads', aimMs: 300, path: '/threads/stream_query', body: () => ({}) },
  {
    name: 'usage of a trace of 1,000',
    aimMs: 100,
    path: '/trace/usage',
    body: () => ({ filter: { trace_ids: [longTrace] }, include_costs: true }),
  },
];

const { values } = parseArgs({ options: { calls: { type: 'string', default: '10000,100000,1000000' } } });
for (const calls of values.calls.split(',').map(Number)) {
  const heddle = await startWithCalls(calls);
  await new Promise((resolve) => setTimeout(resolve, 10_000)); // merges that start with the server
  report(`a server of ${calls.toLocaleString('en')} calls and half as many around them`, {
    'ms from start to healthy': heddle.healthyAfterMs,
    'MB of memory at rest': heddle.residentBytes() / 1e6,
    'kB of disk a call': diskBytes(heddle.data) / (calls * 1.45) / 1e3,
  });
  await askAll(heddle, calls, { state: '', times: 30, patience: 1 });
  const most = await highestRate(heddle, calls);
  const ingest = ingestAt(heddle, calls, Math.floor(most / 2));
  const state = `, during ingest of ${Math.round(most / 2).toLocaleString('en')} calls/s`;
  await askAll(heddle, calls, { state, times: 15, patience: 2 });
  await ingest.stop();
  await heddle.stop();
  heddle.remove();
}

async function askAll(
  heddle: Heddle,
  calls: number,
  { state, times, patience }: { state: string; times: number; patience: number },
): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  for (const { name, aimMs, path, body } of questions) {
    const ms: number[] = [];
    for (let i = -3; i < times; i++) {
      const asked = post(heddle.key, path, { project_id: benchProject, ...body(i + 3, calls) });
      const hit = await send(heddle.address, agent, asked);
      if (hit.status !== 200) throw new Error(`${name}: ${hit.status} ${hit.text}`);
      if (i >= 0) ms.push(hit.ms);
    }
    const figures: Record<string, number> = { 'ms p50': quantile(ms, 0.5), p95: quantile(ms, 0.95) };
    if (calls >= 1_000_000) figures['aimed at'] = aimMs * patience;
    report(`${name}, ${calls.toLocaleString('en')} calls${state}`, figures);
  }
  agent.destroy();
}

/** Requests with calls that come after those of the store, their bodies made beforehand. */
function newerShots(heddle: Heddle, calls: number, from: number, count: number): Shot[] {
  return [...completeBatches(heddle.key, benchProject, calls + from, count, newest + (from + 1) * callSpacing)];
}

async function highestRate(heddle: Heddle, calls: number): Promise<number> {
  const { seconds } = await sendAll(heddle.address, newerShots(heddle, calls, 0, warmUpCalls), 8);
  return warmUpCalls / seconds;
}

/** Sends calls at a rate until it is stopped, or for three minutes. */
function ingestAt(heddle: Heddle, calls: number, callsPerSecond: number) {
  const agent = new Agent({ keepAlive: true });
  const shots = newerShots(heddle, calls, warmUpCalls, Math.min(callsPerSecond * 180, 300_000));
  const callsPerShot = 500;
  const pending = new Set<Promise<unknown>>();
  const timer = setInterval(
    () => {
      const shot = shots.shift();
      if (!shot) return;
      const hit = send(heddle.address, agent, shot).finally(() => pending.delete(hit));
      pending.add(hit);
    },
    (callsPerShot / callsPerSecond) * 1000,
  );
  return {
    async stop() {
      clearInterval(timer);
      if (shots.length === 0) process.stdout.write('There was not enough to send to the end.\n');
      await Promise.all(pending);
      agent.destroy();
    },
  };
}

function diskBytes(directory: string): number {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

function nthCall(n: number, calls: number) {
  return realisticCall(benchProject, n, newest - (calls - 1 - n) * callSpacing);
}

function iso(micros: number): string {
  return new Date(micros / 1000).toISOString();
}
