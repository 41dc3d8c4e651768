import { randomUUID } from 'node:crypto';
import { variedRequest } from '../../../testing/varied-requests.ts';
import { benchProject, countCalls, type Heddle } from '../heddle.ts';
import { newest, post, startWithCalls } from '../interface-store.ts';
import { quantile, sendAll } from '../load.ts';
import { report } from '../report.ts';
import { ask, chatAndRecord, trainedName, trainOn } from './client.ts';

const learnedCalls = 60;
const msMax = 1000;
/** Of all calls of the store, how many are answers of each checkpoint. */
const shareOfAnswers = 0.05;
const batch = 500;

/** How soon the lineage of answers, and of calls that models learned from, is there in a project of many calls. */
export async function measureLatency(calls: number, requests: number): Promise<void> {
  const heddle = await startWithCalls(calls);
  try {
    const bodies = Array.from({ length: learnedCalls }, (_, n) => ({ ...variedRequest(11 * n), model: 'heddle/tiny' }));
    const learned = await chatAndRecord(heddle, bodies, 16);
    await score(heddle, learned);
    await trainOn(heddle, 'agent', learned, 1e-4);
    await trainOn(heddle, 'agent', learned.slice(0, 20), 1e-4);
    const answers = (await Promise.all([1, 2].map((step) => addAnswers(heddle, step, calls * shareOfAnswers)))).flat();
    report('stored', { calls: await countCalls(heddle), 'answers of two checkpoints': answers.length });
    await measure(heddle, 'the lineage of an answer', spread(answers, requests));
    await measure(heddle, 'the lineage of a call that was trained on', spread(learned, requests));
  } finally {
    await heddle.stop();
    heddle.remove();
  }
}

/** A note of a person and the score of a judge for each. */
async function score(heddle: Heddle, ids: string[]): Promise<void> {
  const items = ids.flatMap((id, n) => {
    const on = { project_id: benchProject, weave_ref: `weave:///${benchProject}/call/${id}` };
    const judge = {
      runnable_ref: `weave:///${benchProject}/op/judge:v1`,
      call_ref: `weave:///${benchProject}/call/judged-${n}`,
    };
    return [
      { ...on, feedback_type: 'wandb.note.1', payload: { note: 'Read by a person.' } },
      { ...on, ...judge, feedback_type: 'wandb.runnable.judge', payload: { output: { score: n / ids.length } } },
    ];
  });
  await ask(heddle, '/feedback/batch/create', { batch: items });
}

/** One answer of a checkpoint, and copies of it at other times, which differ in their ids. @returns the ids of all */
async function addAnswers(heddle: Heddle, step: number, count: number): Promise<string[]> {
  const [id] = await chatAndRecord(heddle, [{ ...variedRequest(step), model: trainedName('agent', step) }], 1);
  const { call } = await ask(heddle, '/call/read', { project_id: benchProject, id });
  const { op_name, attributes, inputs, output, summary } = call;
  const { weave: _, ...own } = summary;
  const ids = Array.from({ length: count }, () => randomUUID());
  const copy = (own_id: string, n: number) => {
    const startedAt = new Date(newest / 1000 - n * 1000).toISOString();
    const times = { started_at: startedAt, ended_at: startedAt };
    return {
      project_id: benchProject,
      id: own_id,
      trace_id: own_id,
      op_name,
      ...times,
      attributes,
      inputs,
      output,
      summary: own,
    };
  };
  const shots = Array.from({ length: Math.ceil(count / batch) }, (_, n) =>
    post(heddle.key, `/v2/${benchProject}/calls/complete`, {
      batch: ids.slice(n * batch, (n + 1) * batch).map((each, i) => copy(each, n * batch + i)),
    }),
  );
  const { hits } = await sendAll(heddle.address, shots, 4);
  const refused = hits.find(({ status }) => status !== 200);
  if (refused) throw new Error(`The server answered ${refused.status}: ${refused.text}`);
  return [id!, ...ids];
}

async function measure(heddle: Heddle, name: string, ids: string[]): Promise<void> {
  const shots = ids.map((call_id) => post(heddle.key, `/v2/${benchProject}/lineage/query`, { call_id }));
  const { hits } = await sendAll(heddle.address, shots, 1);
  const refused = hits.find(({ status }) => status !== 200);
  if (refused) throw new Error(`The server answered ${refused.status}: ${refused.text}`);
  const times = hits.map(({ ms }) => ms);
  report(name, {
    'ms at p50': quantile(times, 0.5),
    'ms at p99': quantile(times, 0.99),
    'ms at most': Math.max(...times),
  });
  if (quantile(times, 0.99) > msMax) process.exitCode = 1;
}

function spread(ids: string[], count: number): string[] {
  return Array.from({ length: count }, (_, n) => ids[Math.floor((n * ids.length) / count)]!);
}
