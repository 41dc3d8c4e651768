import { randomUUID } from 'node:crypto';
import { benchProject } from './heddle.ts';
import type { Shot } from './load.ts';
import { prose } from './prose.ts';
import { randomFrom } from './random.ts';

/** Finished calls of about this size as clients send them. */
export function wireCalls(count: number, seed: number, kilobytes = 2) {
  const random = randomFrom(seed);
  return Array.from({ length: count }, (_, index) => ({
    project_id: benchProject,
    id: randomUUID(),
    trace_id: randomUUID(),
    op_name: `op${index % 5}`,
    started_at: new Date(Date.UTC(2026, 0, 1) + index * 100).toISOString(),
    ended_at: new Date(Date.UTC(2026, 0, 1) + index * 100 + 900).toISOString(),
    attributes: { tag: random.below(100), source: 'bench' },
    inputs: { prompt: prose(random, 500 * kilobytes), model: `m${index % 10}`, temperature: random.below(100) / 100 },
    output: { answer: prose(random, 250 * kilobytes) },
    summary: { usage: { m: { prompt_tokens: random.below(500), completion_tokens: random.below(300) } } },
  }));
}

const headers = (key: string) => ({ 'content-type': 'application/json', authorization: `Bearer ${key}` });

export function completeShots(key: string, count: number, batch: number, seed = 1, kilobytes = 2): Shot[] {
  const path = `/v2/${benchProject}/calls/complete`;
  return batches(wireCalls(count, seed, kilobytes), batch).map((calls) => shot(path, key, { batch: calls }));
}

/** The start and the end of each call in one batch. */
export function upsertShots(key: string, count: number, batch: number, seed = 1): Shot[] {
  return batches(wireCalls(count, seed), batch).map((calls) =>
    shot('/call/upsert_batch', key, {
      batch: calls.flatMap(({ ended_at, output, summary, ...start }) => [
        { mode: 'start', req: { start } },
        { mode: 'end', req: { end: { project_id: start.project_id, id: start.id, ended_at, output, summary } } },
      ]),
    }),
  );
}

/** The starts of calls, and then their ends, which are sent later. */
export function startAndEndShots(key: string, count: number, batch: number, seed = 1): [starts: Shot[], ends: Shot[]] {
  const calls = batches(wireCalls(count, seed), batch);
  const send = (items: unknown[]) => shot('/call/upsert_batch', key, { batch: items });
  return [
    calls.map((of) => send(of.map(({ ended_at, output, summary, ...start }) => ({ mode: 'start', req: { start } })))),
    calls.map((of) =>
      send(
        of.map(({ project_id, id, ended_at, output, summary }) => ({
          mode: 'end',
          req: { end: { project_id, id, ended_at, output, summary } },
        })),
      ),
    ),
  ];
}

function shot(path: string, key: string, body: unknown): Shot {
  return { path, headers: headers(key), body: Buffer.from(JSON.stringify(body)) };
}

function batches<Item>(items: Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
