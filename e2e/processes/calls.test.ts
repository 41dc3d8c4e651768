import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { seeded, shuffled } from '../../testing/seeded.ts';
import type { Heddle } from '../harness/heddle.ts';
import { type StoredCall, storedCalls } from '../harness/stored-calls.ts';
import { swiftEnvironment } from '../stores/environment.ts';
import { processesForFile } from './processes.ts';

const seed = Number(process.env.HEDDLE_TEST_SEED ?? Date.now() % 1e6);

describe.skipIf(!swiftEnvironment.isReady())(`calls whose parts reach several processes at once (seed ${seed})`, () => {
  const { servers, any } = processesForFile(3);
  const random = seeded(seed);

  test('a thousand calls, each with its start and its end at two processes at the same moment', async () => {
    const project = `ent/p${seed}`;
    const calls = Array.from({ length: 1000 }, (_, i) => newCall(project, i));
    let overlapping = 0;
    for (let from = 0; from < calls.length; from += 50) {
      await Promise.all(
        calls.slice(from, from + 50).map(async ({ start, end, rename }) => {
          const [a, b, c] = shuffled(servers, random);
          const [started, ended] = await Promise.all([
            timed(() => a!.post('/call/start', { start })),
            timed(() => b!.post('/call/end', { end })),
          ]);
          expect([started.answer, ended.answer]).toEqual([
            expect.stringMatching(/^200 /),
            expect.stringMatching(/^200 /),
          ]);
          if (started.from < ended.to && ended.from < started.to) overlapping++;
          expect((await c!.post('/call/update', rename)).status).toBe(200);
        }),
      );
    }
    expect(overlapping).toBe(calls.length);
    const stored = await storedCalls(any(random), project);
    expect(stored).toHaveLength(calls.length);
    for (const [i, call] of stored.entries()) {
      expect(call).toMatchObject({ inputs: { i }, output: `of ${i}`, display_name: `name ${i}` });
      expect(call.ended_at).not.toBeNull();
    }
  }, 300_000);

  test('the captured spans of libraries, in any order at any process, are read as from one process', async () => {
    const [mixed, plain] = [`ent/mixed${seed}`, `ent/plain${seed}`];
    const exports = fixtures().flatMap(({ spans, logs }) => [...exportsOf(spans), ...logExportsOf(logs)]);
    for (const { spans, logs } of fixtures()) {
      await send(servers[0]!, plain, { path: '/otel/v1/traces', body: spans });
      if (logs.resourceLogs) await send(servers[0]!, plain, { path: '/otel/v1/logs', body: logs });
    }
    const waiting = shuffled(exports, random);
    await Promise.all(
      Array.from({ length: 12 }, async () => {
        for (let each = waiting.pop(); each; each = waiting.pop()) await send(any(random), mixed, each);
      }),
    );
    const [read, wanted] = await Promise.all([storedCalls(any(random), mixed), storedCalls(servers[0]!, plain)]);
    const expected = byId(wanted, plain);
    const found = byId(read, mixed);
    expect([...found.keys()].sort()).toEqual([...expected.keys()].sort());
    for (const [id, call] of expected) expect(found.get(id), `${id}, seed ${seed}`).toEqual(call);
  }, 300_000);
});

function newCall(project: string, i: number) {
  const id = `01900000-0000-7000-8000-${String(i).padStart(12, '0')}`;
  const trace_id = `01910000-0000-7000-8000-${String(i).padStart(12, '0')}`;
  const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + i * 1000 + seconds * 1000).toISOString();
  const start = { project_id: project, id, op_name: 'op', trace_id, started_at: at(0), attributes: {}, inputs: { i } };
  const end = { project_id: project, id, ended_at: at(0.5), output: `of ${i}`, summary: {} };
  return { start, end, rename: { project_id: project, call_id: id, display_name: `name ${i}` } };
}

async function timed(request: () => ReturnType<Heddle['post']>) {
  const from = performance.now();
  const { status, text } = await request();
  return { answer: `${status} ${text}`, from, to: performance.now() };
}

type Export = { path: string; body: object };

function fixtures(): { spans: any; logs: any }[] {
  const folder = new URL('../../testing/spans/', import.meta.url);
  const read = (name: string) => JSON.parse(readFileSync(new URL(name, folder), 'utf8'));
  const libraries = readdirSync(folder).filter((name) => name.endsWith('.json'));
  const agents = readdirSync(new URL('agents/', folder)).map((name) => read(`agents/${name}`));
  return [...libraries.map((name) => ({ spans: read(name), logs: {} })), ...agents];
}

/** An export for each span, in the order in which they end. */
function exportsOf({ resourceSpans = [] }: any): Export[] {
  const exports = resourceSpans.flatMap(({ scopeSpans, ...resource }: any) =>
    scopeSpans.flatMap(({ spans, ...scope }: any) =>
      spans.map((span: any) => ({
        end: BigInt(span.endTimeUnixNano),
        path: '/otel/v1/traces',
        body: { resourceSpans: [{ ...resource, scopeSpans: [{ ...scope, spans: [span] }] }] },
      })),
    ),
  );
  return exports.sort((a: any, b: any) => (a.end < b.end ? -1 : 1));
}

function logExportsOf({ resourceLogs = [] }: any): Export[] {
  return resourceLogs.flatMap(({ scopeLogs, ...resource }: any) =>
    scopeLogs.flatMap(({ logRecords, ...scope }: any) =>
      logRecords.map((record: any) => ({
        path: '/otel/v1/logs',
        body: { resourceLogs: [{ ...resource, scopeLogs: [{ ...scope, logRecords: [record] }] }] },
      })),
    ),
  );
}

async function send(server: Heddle, project: string, { path, body }: Export): Promise<void> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${server.key}`, project_id: project };
  const answer = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(answer.status, await answer.text()).toBe(200);
}

/** The calls without what differs between projects. */
function byId(calls: StoredCall[], project: string): Map<string, StoredCall> {
  return new Map(calls.map((call) => [call.id, JSON.parse(JSON.stringify(call).replaceAll(project, 'ent/p'))]));
}
