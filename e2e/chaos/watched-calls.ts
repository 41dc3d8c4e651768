import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Json } from '../kills/client.ts';
import type { Writer } from '../kills/writers.ts';

/** Calls that a monitor scores with a rule, and what their writers were answered. */
export type WatchedCalls = { acknowledged: Set<string>; monitor: string | null };

/** Counts the calls of a request: one in one piece, or a start and an end. */
export function writeWatchedCalls(watched: WatchedCalls): Writer {
  return async (client, project, ledger) => {
    watched.monitor ??= await publishMonitor(client, project);
    const id = randomUUID();
    const now = () => new Date().toISOString();
    const start = { ...{ project_id: project, id, trace_id: id, op_name: opOf(project) }, started_at: now() };
    const ended = { ended_at: now(), output: 'yes', summary: {} };
    const request = async () => {
      if (Math.random() < 0.5) {
        const batch = [{ ...start, attributes: {}, inputs: {}, ...ended }];
        await client.ask('POST', `/v2/${project}/calls/complete`, { batch });
      } else {
        await client.ask('POST', '/call/start', { start: { ...start, attributes: {}, inputs: {} } });
        await client.ask('POST', '/call/end', { end: { project_id: project, id, ...ended } });
      }
    };
    await ledger.change([], request, []);
    watched.acknowledged.add(id);
  };
}

const opOf = (project: string) => `weave:///${project}/op/watched:abc`;
const ofClass = (name: string, ...bases: string[]) => ({ _type: name, _class_name: name, _bases: bases });

async function publishMonitor(client: Client, project: string): Promise<string> {
  const publish = async (object_id: string, val: object) => {
    const { digest } = await client.ask('POST', '/obj/create', { obj: { project_id: project, object_id, val } });
    return `weave:///${project}/object/${object_id}:${digest}`;
  };
  const rule = { ...ofClass('RuleScorer', 'Scorer', 'Object', 'BaseModel'), rule: 'regex', pattern: 'yes' };
  const scorers = [await publish('has-yes', rule)];
  const fields = { active: true, sampling_rate: 1, op_names: [`weave:///${project}/op/watched:*`], is_traced: false };
  return publish('watch', {
    ...ofClass('Monitor', 'Object', 'BaseModel'),
    ...{ name: 'watch', scorers, query: null, ...fields },
  });
}

/** Without a score for so long, none follows: a job that was interrupted or that fails is tried again sooner. */
const quietMs = 40_000;

/** Calls that were acknowledged and are not scored exactly once, and others that are scored more often. */
export async function findMisscored(
  client: Client,
  project: string,
  { acknowledged, monitor }: WatchedCalls,
): Promise<string[]> {
  let scores = new Map<string, number>();
  for (let quietSince = performance.now(); performance.now() - quietSince < quietMs; await sleep(1000)) {
    const before = scores.size;
    scores = await countScores(client, project);
    if ([...acknowledged].every((id) => scores.has(id))) break;
    if (scores.size > before) quietSince = performance.now();
  }
  const wrong = [...acknowledged]
    .filter((id) => !scores.has(id))
    .map((id) => `${project}: call ${id} was not scored by ${monitor}`);
  for (const [id, count] of scores)
    if (count > 1) wrong.push(`${project}: call ${id} was scored ${count} times by ${monitor}`);
  return wrong;
}

async function countScores(client: Client, project: string): Promise<Map<string, number>> {
  const limit = 1000;
  const counts = new Map<string, number>();
  const isScore = { $expr: { $eq: [{ $getField: 'feedback_type' }, { $literal: 'wandb.runnable.has-yes' }] } };
  for (let offset = 0, found = limit; found === limit; offset += limit) {
    const page = { query: isScore, fields: ['id', 'weave_ref'], sort_by: [{ field: 'id', direction: 'asc' }] };
    const { result } = await client.ask('POST', '/feedback/query', { project_id: project, ...page, limit, offset });
    for (const { weave_ref } of result as Json[]) {
      const id = weave_ref.split('/').at(-1);
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    found = result.length;
  }
  return counts;
}
