import { constants, cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallRow } from '../../src/domain/calls/call-row.ts';
import { formatTimestamp } from '../../src/util/timestamp.ts';
import { benchProject, type Heddle, startHeddle } from './heddle.ts';
import { type Shot, sendAll } from './load.ts';
import { randomFrom } from './random.ts';
import { callSpacing, realisticCall } from './realistic-calls.ts';

/** The trace whose usage is asked for, of a thousand calls. */
export const longTrace = '00000000-0000-7000-8000-000000000001';
const longTraceLength = 1000;

const neighbours = 9;
const batch = 500;

/**
 * A server whose data directory holds a project of this many calls among ten, with feedback and prices, all of it sent
 * by a client. That directory is kept between runs, and the server gets a copy: remove it after a change to the schema.
 */
export async function startWithCalls(calls: number): Promise<Heddle> {
  const directory = join(process.env.HEDDLE_BENCH_DIR ?? join(tmpdir(), 'heddle-bench'), `interface-${calls}`);
  if (!existsSync(directory)) {
    const unfinished = `${directory}.unfinished`;
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { recursive: true });
    const heddle = await startHeddle(unfinished);
    await fill(heddle, calls);
    await heddle.stop();
    renameSync(unfinished, directory);
  }
  const copy = `${directory}.copy`;
  rmSync(copy, { recursive: true, force: true });
  cpSync(directory, copy, { recursive: true, mode: constants.COPYFILE_FICLONE });
  return startHeddle(copy);
}

/** When the newest call of the store started, in microseconds. */
export const newest = Date.UTC(2026, 9, 1) * 1000;

async function fill(heddle: Heddle, calls: number): Promise<void> {
  await sendEach(heddle, completeBatches(heddle.key, benchProject, 0, calls, newest - (calls - 1) * callSpacing));
  for (let n = 1; n <= neighbours; n++) {
    const few = Math.floor(calls / 20);
    const project = `bench/neighbour-${n}`;
    await sendEach(heddle, completeBatches(heddle.key, project, n * 1e7, few, newest - (few - 1) * callSpacing));
  }
  await sendEach(heddle, longTraceShots(heddle.key));
  await sendEach(heddle, feedbackShots(heddle.key, calls));
  const prices = { 'gpt-4o': price, 'claude-sonnet': price, 'llama-70b': price };
  await sendEach(heddle, [post(heddle.key, '/cost/create', { project_id: benchProject, costs: prices })]);
}

const price = { prompt_token_cost: 3e-6, completion_token_cost: 15e-6, effective_date: '2026-01-01T00:00:00Z' };

/** Requests that send calls numbered from `from`, the first of which started at `startedAt`. */
export function* completeBatches(
  key: string,
  project: string,
  from: number,
  count: number,
  startedAt: number,
): Generator<Shot> {
  for (let sent = 0; sent < count; sent += batch) {
    const items: string[] = [];
    for (let n = sent; n < Math.min(sent + batch, count); n++) {
      items.push(wireJson(project, realisticCall(project, from + n, startedAt + n * callSpacing)));
    }
    yield shot(key, `/v2/${project}/calls/complete`, `{"batch":[${items.join(',')}]}`);
  }
}

function wireJson(project: string, row: CallRow): string {
  const plain = JSON.stringify({
    project_id: project,
    id: row.id,
    trace_id: row.traceId,
    parent_id: row.parentId || null,
    thread_id: row.threadId || null,
    turn_id: row.turnId || null,
    op_name: row.opName.replace(/^.*\/(\w+):\w+$/, '$1'),
    started_at: formatTimestamp(row.startedAt),
    ended_at: formatTimestamp(row.endedAt!),
    exception: row.exception || null,
  });
  const { attributes, inputs, output, summary } = row;
  return `${plain.slice(0, -1)},"attributes":${attributes},"inputs":${inputs},"output":${output},"summary":${summary}}`;
}

function* longTraceShots(key: string): Generator<Shot> {
  const items = Array.from({ length: longTraceLength }, (_, n) => {
    const call = realisticCall(benchProject, 5e7 + n, newest + n * 1000);
    const parent = n === 0 ? '' : realisticCall(benchProject, 5e7 + Math.floor(n / 3), newest).id;
    const id = realisticCall(benchProject, 5e7 + n, newest).id;
    return wireJson(benchProject, { ...call, id, traceId: longTrace, parentId: parent });
  });
  yield shot(key, `/v2/${benchProject}/calls/complete`, `{"batch":[${items.join(',')}]}`);
}

/** A score for one call in ten, a reaction for one in fifty. */
function* feedbackShots(key: string, calls: number): Generator<Shot> {
  const first = newest - (calls - 1) * callSpacing;
  let items: unknown[] = [];
  for (let n = 0; n < calls; n++) {
    const isScored = n % 12 === 0 || n % 60 === 7;
    if (!isScored && n % 50 !== 0) continue;
    const { id } = realisticCall(benchProject, n, first + n * callSpacing);
    const feedback = { project_id: benchProject, weave_ref: `weave:///${benchProject}/call/${id}` };
    const score = randomFrom(n).below(1000) / 1000;
    if (isScored) items.push({ ...feedback, feedback_type: 'quality', payload: { score, judge: 'gpt-4o' } });
    if (n % 50 === 0) items.push({ ...feedback, feedback_type: 'wandb.reaction.1', payload: { emoji: '👍' } });
    if (items.length < batch) continue;
    yield post(key, '/feedback/batch/create', { batch: items });
    items = [];
  }
  if (items.length > 0) yield post(key, '/feedback/batch/create', { batch: items });
}

async function sendEach(heddle: Heddle, shots: Iterable<Shot>): Promise<void> {
  const { hits } = await sendAll(heddle.address, shots, 4);
  const refused = hits.find(({ status }) => status !== 200);
  if (refused) throw new Error(`The server answered ${refused.status}: ${refused.text}`);
}

export function post(key: string, path: string, body: unknown): Shot {
  return shot(key, path, JSON.stringify(body));
}

function shot(key: string, path: string, body: string): Shot {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
  return { path, headers, body: Buffer.from(body) };
}
