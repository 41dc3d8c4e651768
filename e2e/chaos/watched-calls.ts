import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Json } from '../kills/client.ts';
import type { Writer } from '../kills/writers.ts';

/** Calls that a monitor scores with a rule, and what their writers were answered. */
export type WatchedCalls = {
  /** By id, when they ended. */
  acknowledged: Map<string, string>;
  monitor: Promise<{ ref: string; publishedAt: string }> | null;
};

export function newWatchedCalls(): WatchedCalls {
  return { acknowledged: new Map(), monitor: null };
}

/** Records calls in one piece, or as a start and an end. */
export function writeWatchedCalls(watched: WatchedCalls, isInOnePiece = () => Math.random() < 0.5): Writer {
  return async (client, project, ledger) => {
    watched.monitor ??= publishMonitor(client, project);
    await watched.monitor.catch((error) => {
      watched.monitor = null;
      throw error;
    });
    const id = randomUUID();
    const now = () => new Date().toISOString();
    const start = { ...{ project_id: project, id, trace_id: id, op_name: opOf(project) }, started_at: now() };
    const ended = { ended_at: now(), output: 'yes', summary: {} };
    const request = async () => {
      if (isInOnePiece()) {
        const batch = [{ ...start, attributes: {}, inputs: {}, ...ended }];
        await client.ask('POST', `/v2/${project}/calls/complete`, { batch });
      } else {
        await client.ask('POST', '/call/start', { start: { ...start, attributes: {}, inputs: {} } });
        await client.ask('POST', '/call/end', { end: { project_id: project, id, ...ended } });
      }
    };
    await ledger.change([], request, []);
    watched.acknowledged.set(id, ended.ended_at);
  };
}

export const opOf = (project: string) => `weave:///${project}/op/watched:abc`;
const ofClass = (name: string, ...bases: string[]) => ({ _type: name, _class_name: name, _bases: bases });

/** A monitor that scores calls of `opOf` without tracing, by a rule that the output `yes` meets. */
export async function publishMonitor(client: Client, project: string): Promise<{ ref: string; publishedAt: string }> {
  const publish = async (object_id: string, val: object) => {
    const { digest } = await client.ask('POST', '/obj/create', { obj: { project_id: project, object_id, val } });
    return `weave:///${project}/object/${object_id}:${digest}`;
  };
  const rule = { ...ofClass('RuleScorer', 'Scorer', 'Object', 'BaseModel'), rule: 'regex', pattern: 'yes' };
  const scorers = [await publish('has-yes', rule)];
  const fields = { active: true, sampling_rate: 1, op_names: [`weave:///${project}/op/watched:*`], is_traced: false };
  const ref = await publish('watch', {
    ...ofClass('Monitor', 'Object', 'BaseModel'),
    ...{ name: 'watch', scorers, query: null, ...fields },
  });
  return { ref, publishedAt: new Date().toISOString() };
}

/** Without a score for so long, none follows: a job that was interrupted or that fails is tried again sooner. */
const quietMs = 40_000;

/** Calls that were acknowledged and are not scored exactly once, and others that are scored more often. */
export async function findMisscored(
  client: Client,
  project: string,
  { acknowledged, monitor: published }: WatchedCalls,
): Promise<string[]> {
  let scores = new Map<string, number>();
  for (let quietSince = performance.now(); performance.now() - quietSince < quietMs; await sleep(1000)) {
    const before = scores.size;
    scores = await countScores(client, project);
    if ([...acknowledged.keys()].every((id) => scores.has(id))) break;
    if (scores.size > before) quietSince = performance.now();
  }
  const monitor = await published;
  const of = `${project}, by ${monitor?.ref}, published at ${monitor?.publishedAt}`;
  const wrong = [...acknowledged]
    .filter(([id]) => !scores.has(id))
    .map(
      ([id, endedAt]) =>
        `call ${id}, which ended at ${endedAt}, was not scored until ${new Date().toISOString()} (${of})`,
    );
  for (const [id, count] of scores) if (count > 1) wrong.push(`call ${id} was scored ${count} times (${of})`);
  return wrong;
}

export async function countScores(client: Client, project: string): Promise<Map<string, number>> {
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
