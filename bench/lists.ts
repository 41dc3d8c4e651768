import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { benchProject, countCalls, startHeddle } from './support/heddle.ts';
import { quantile, send, sendAll } from './support/load.ts';
import { otlpShots } from './support/otlp-shots.ts';
import { report } from './support/report.ts';

/**
 * How quickly a server with 100,000 spans of 5.4 kB returns the newest traces and a long trace over HTTP, and how much memory
 * it uses half a minute later.
 */

const spansPerTrace = 12;
const traces = Math.ceil(100_000 / spansPerTrace);
const spansOfLongTrace = 2_000;

const heddle = await startHeddle();
const agent = new Agent({ keepAlive: true });
await sendAll(heddle.address, otlpShots(heddle.key, traces, spansPerTrace), 48);
await send(heddle.address, agent, otlpShots(heddle.key, 1, spansOfLongTrace)[0]!); // more spans of the oldest trace
report('written', { spans: await countCalls(heddle) });
await sleep(10_000); // for merges

const newest = { sort_by: [{ field: 'started_at', direction: 'desc' }], limit: 50, filter: { trace_roots_only: true } };
const columns = ['id', 'trace_id', 'op_name', 'display_name', 'started_at', 'ended_at'];
await measure('newest 50 roots', newest, 100);
await measure('  without payloads', { ...newest, columns }, 100);
// What the page asks for.
const listed = { ...newest, filter: { topmost_calls_only: true } };
await measure('newest 50 traces, with or without a root', listed, 100);
await measure('  with previews of messages', { ...listed, include_previews: true }, 100);
const { calls } = await read({ ...newest, columns, sort_by: [{ field: 'started_at', direction: 'asc' }], limit: 1 });
await measure('a trace of 2,000 spans', { filter: { trace_ids: [calls[0]!.trace_id] } }, 10);
await sleep(30_000);
report('30 s later', { 'MB of memory': heddle.residentBytes() / 1e6 });
agent.destroy();
await heddle.stop();
heddle.remove();

async function measure(name: string, body: object, times: number): Promise<void> {
  const ms: number[] = [];
  let found = 0;
  for (let i = 0; i < times; i++) {
    const answer = await read(body);
    found = answer.calls.length;
    ms.push(answer.ms);
  }
  report(name, { 'ms p50': quantile(ms, 0.5), p95: quantile(ms, 0.95), first: ms[0]!, calls: found });
}

/** The calls of an answer, and how long it took to arrive. */
async function read(body: object): Promise<{ calls: { trace_id: string }[]; ms: number }> {
  const shot = {
    path: '/calls/stream_query',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${heddle.key}` },
    body: Buffer.from(JSON.stringify({ project_id: benchProject, ...body })),
  };
  const { status, text, ms } = await send(heddle.address, agent, shot);
  if (status !== 200) throw new Error(`${status}: ${text}`);
  const lines = text.split('\n').filter(Boolean);
  return { calls: lines.map((line) => JSON.parse(line)), ms };
}
