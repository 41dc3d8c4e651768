import { Agent, request } from 'node:http';
import { parseArgs } from 'node:util';
import { contains, test } from './support/ask.ts';
import { probeHealth } from './support/health-probe.ts';
import { type Heddle, startHeddle } from './support/heddle.ts';
import { completeBatches, newest, post } from './support/interface-store.ts';
import { quantile, type Shot, send, sendAll } from './support/load.ts';
import { callSpacing, realisticCall } from './support/realistic-calls.ts';
import { report } from './support/report.ts';

/**
 * What the heaviest queries that are allowed do to others: ten of them at once, each sent again as soon as it is answered,
 * beside the short reads of another project, its writes, and `/health`. `--projects 1` sends all ten for one project.
 * `node bench/abuse-queries.ts [--seconds 20] [--projects 10]`
 */

/** One of the heaviest queries that are allowed. The project of `storm-0` and so on has what it looks through. */
export type Heavy = { name: string; path: string; body: object };

const megabytes = 2;
const repetitive = 'a'.repeat(megabytes * 1e6);
const where = (expr: unknown) => ({ query: { $expr: expr } });
const insensitive = (field: string, substr: string) => ({
  $contains: { ...contains(field, substr).$contains, case_insensitive: true },
});
const all = { start: '2026-01-01T00:00:00Z', end: '2027-01-01T00:00:00Z' };

export const heaviest: Heavy[] = [
  {
    name: 'a repetitive text',
    path: '/calls/query_stats',
    body: where(insensitive('inputs.text', `${'a'.repeat(999)}b`)),
  },
  { name: 'a repetitive word', path: '/calls/query_stats', body: where(contains('inputs', 'a'.repeat(5000))) },
  {
    name: '100 conditions on payloads',
    path: '/calls/query_stats',
    body: where({ $or: Array.from({ length: 100 }, (_, i) => contains(`output.field${i}`, `nowhere${i}`)) }),
  },
  {
    name: 'sorted by ten places',
    path: '/calls/stream_query',
    body: {
      sort_by: Array.from({ length: 10 }, (_, i) => ({ field: `output.text${i}`, direction: 'desc' })),
      limit: 100,
      columns: ['id'],
    },
  },
  {
    name: 'everything',
    path: '/calls/stream_query',
    body: { include_costs: true, include_feedback: true, include_total_storage_size: true },
  },
  { name: 'a negation', path: '/calls/query_stats', body: where({ $not: [test('$eq', 'inputs.text', 'nothing')] }) },
  {
    name: 'statistics by the second',
    path: '/calls/stats',
    body: {
      ...all,
      granularity: 1,
      call_metrics: [{ metric: 'latency_ms', percentiles: Array.from({ length: 99 }, (_, i) => i + 1) }],
      usage_metrics: [{ metric: 'total_cost' }],
    },
  },
  { name: 'all threads', path: '/threads/stream_query', body: {} },
  { name: 'sizes', path: '/calls/query_stats', body: { include_total_storage_size: true } },
  {
    name: 'an offset',
    path: '/calls/stream_query',
    body: { sort_by: [{ field: 'inputs.text', direction: 'asc' }], offset: 40_000, limit: 10_000, columns: ['id'] },
  },
];

/** Fills the projects of the storm: many calls, and some of the largest texts. */
export async function fillStorm(heddle: Heddle, projects: number, calls = 50_000): Promise<void> {
  for (let n = 0; n < projects; n++) {
    const few = Math.floor(calls / projects);
    await sendEach(heddle, completeBatches(heddle.key, stormProject(n), n * 1e7, few, newest - few * callSpacing));
    await sendEach(heddle, largeCalls(heddle, stormProject(n), n, Math.ceil(60 / projects)));
  }
}

export const stormProject = (n: number) => `bench/storm-${n}`;

/** Sends heavy queries, ten at a time, until it is stopped; counts the answers by status. */
export function storm(heddle: Heddle, projects: number, atOnce = 10) {
  const agent = new Agent({ keepAlive: true });
  const statuses = new Map<number, number>();
  const slowest = new Map<string, number>();
  let isStopped = false;
  const sender = async (i: number) => {
    for (let round = 0; !isStopped; round++) {
      const { name, path, body } = heaviest[(i + round) % heaviest.length]!;
      const asked = post(heddle.key, path, { project_id: stormProject(i % projects), ...body });
      const { status, ms } = await sendOnly(heddle.address, agent, asked);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      slowest.set(name, Math.max(slowest.get(name) ?? 0, ms));
      if (status === 429) await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  };
  const senders = Array.from({ length: atOnce }, (_, i) => sender(i));
  return {
    statuses,
    slowest,
    /** Hangs up on what is under way. */
    async stop() {
      isStopped = true;
      agent.destroy();
      await Promise.all(senders);
    },
  };
}

/** Sends a request and passes over its answer, which may be large: others are measured on this thread. */
function sendOnly(
  address: string,
  agent: Agent,
  { path, headers, body }: Shot,
): Promise<{ status: number; ms: number }> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const end = (status: number) => resolve({ status, ms: performance.now() - startedAt });
    const sent = request(address + path, { method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.once('end', () => end(response.statusCode!));
      response.once('error', () => end(0));
    });
    sent.once('error', () => end(0));
    sent.end(body);
  });
}

/** What a well-behaved client of another project sees: 20 short reads and some small writes a second. */
export function probeReads(heddle: Heddle, { readsPerSecond = 20, writesPerSecond = 20 } = {}) {
  const agent = new Agent({ keepAlive: true });
  const reads: number[] = [];
  const writes: number[] = [];
  const failed: string[] = [];
  const pending = new Set<Promise<unknown>>();
  const ask = (shot: Shot, ms: number[]) => {
    const asked = send(heddle.address, agent, shot).then(
      (hit) => (hit.status === 200 ? ms.push(hit.ms) : failed.push(`${hit.status} ${hit.text.slice(0, 200)}`)),
      (error) => failed.push(String(error)),
    );
    pending.add(asked);
    void asked.finally(() => pending.delete(asked));
  };
  let number = 0;
  const list = { sort_by: [{ field: 'started_at', direction: 'desc' }], limit: 50, filter: { trace_roots_only: true } };
  const timers = [
    setInterval(() => {
      const { id } = realisticCall(quietProject, number % quietCalls, newest);
      const shot =
        number++ % 2 === 0
          ? post(heddle.key, '/calls/stream_query', { project_id: quietProject, ...list })
          : post(heddle.key, '/call/read', { project_id: quietProject, id });
      ask(shot, reads);
    }, 1000 / readsPerSecond),
    setInterval(() => {
      const [shot] = completeBatches(heddle.key, quietProject, 2e8 + number++, 1, newest);
      ask(shot!, writes);
    }, 1000 / writesPerSecond),
  ];
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(pending);
      agent.destroy();
      return { reads, writes, failed };
    },
  };
}

const quietProject = 'bench/quiet';
const quietCalls = 2000;

export async function fillQuiet(heddle: Heddle): Promise<void> {
  await sendEach(heddle, completeBatches(heddle.key, quietProject, 1e8, quietCalls, newest - quietCalls * callSpacing));
}

function* largeCalls({ key }: Heddle, project: string, n: number, count: number): Generator<Shot> {
  for (let i = 0; i < count; i++) {
    const { id, traceId } = realisticCall(project, 3e8 + n * 1000 + i, newest);
    const call = { project_id: project, id, trace_id: traceId, op_name: 'large', started_at: new Date(newest / 1000) };
    const item = {
      ...call,
      ended_at: call.started_at,
      attributes: {},
      inputs: { text: repetitive },
      output: {},
      summary: {},
    };
    yield post(key, `/v2/${project}/calls/complete`, { batch: [item] });
  }
}

async function sendEach(heddle: Heddle, shots: Iterable<Shot>): Promise<void> {
  const { hits } = await sendAll(heddle.address, shots, 4);
  const refused = hits.find(({ status }) => status !== 200);
  if (refused) throw new Error(`The server answered ${refused.status}: ${refused.text}`);
}

async function measure(heddle: Heddle, state: string, seconds: number): Promise<void> {
  const [reads, health] = [probeReads(heddle), probeHealth(heddle.address)];
  let memory = 0;
  const watch = setInterval(() => {
    memory = Math.max(memory, heddle.residentBytes());
  }, 200);
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const seen = await reads.stop();
  const healthMs = (await health.stop()).map((ms) => (Number.isNaN(ms) ? Number.POSITIVE_INFINITY : ms));
  clearInterval(watch);
  const ms = (each: number[]) => ({ p50: quantile(each, 0.5), p99: quantile(each, 0.99), max: Math.max(...each) });
  report(`short reads ${state}, ms`, ms(seen.reads));
  report(`small writes ${state}, ms`, ms(seen.writes));
  report(`/health ${state}, ms`, ms(healthMs));
  report(`memory ${state}`, { 'MB at most': memory / 1e6, 'errors of the quiet client': seen.failed.length });
  if (seen.failed[0]) process.stdout.write(`  such as ${seen.failed[0]}\n`);
}

if (import.meta.main) {
  const options = { seconds: { type: 'string', default: '20' }, projects: { type: 'string', default: '10' } } as const;
  const { values } = parseArgs({ options });
  const [seconds, projects] = [Number(values.seconds), Number(values.projects)];
  const heddle = await startHeddle();
  await fillQuiet(heddle);
  await fillStorm(heddle, projects);
  await measure(heddle, 'at rest', 5);
  const heavy = storm(heddle, projects);
  await new Promise((resolve) => setTimeout(resolve, 2000));
  await measure(heddle, 'beside ten heavy queries', seconds);
  await heavy.stop();
  report('heavy queries', Object.fromEntries([...heavy.statuses].map(([status, count]) => [`with ${status}`, count])));
  for (const [name, ms] of heavy.slowest) report(`  ${name}, slowest`, { s: ms / 1000 });
  await measure(heddle, 'after it', 5);
  await heddle.stop();
  heddle.remove();
}
