import { rmSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { readConfig } from '../../config.ts';
import type { Context } from '../../context.ts';
import { buildServer } from '../../http/server.ts';
import { openLog } from '../../log.ts';
import { openContext } from '../../open/context.ts';
import { toInsertLine } from '../../store/clickhouse/calls/call-line.ts';
import { plainCall } from '../../store/clickhouse/calls/testing/call-store.ts';
import { routes } from '../routes.ts';
import { copyStoreTemplate } from '../testing/store-template.ts';

let context: Context;
let app: FastifyInstance;
let data: string;
const key = 'test0owner0key'.padEnd(48, '0');
beforeAll(async () => {
  data = copyStoreTemplate(inject('storeTemplate'));
  const settings = { HEDDLE_DATA: data, HEDDLE_LOG_LEVEL: 'error', HEDDLE_API_KEY: key, HEDDLE_OWNER: 'e' };
  const config = readConfig({}, settings);
  const older = await openContext(config, openLog(config));
  await older.identity.ensureOwner({ name: 'e', apiKey: key });
  for (const { name, micros } of projects) await writeOldCall(older, name, micros);
  await older.close();
  context = await openContext(config, openLog(config));
  app = await buildServer(context, routes(context));
});
afterAll(async () => {
  await app.close();
  await context.close();
  rmSync(data, { recursive: true, force: true });
});

/** Microseconds since 1970 that older versions stored, and how they are shown. */
const projects: { name: string; what: string; micros: number; shown: string }[] = [
  { name: 'e/p0', what: 'the year 1', micros: -62_135_596_800e6, shown: '0001-01-01T00:00:00Z' },
  { name: 'e/p1', what: 'the year 1600', micros: -11_676_096_000e6, shown: '1600-01-01T00:00:00Z' },
  { name: 'e/p2', what: 'the year 2300', micros: 10_413_792_000e6, shown: '2300-01-01T00:00:00Z' },
  { name: 'e/p3', what: 'the end of 9999', micros: 253_402_300_800e6, shown: '9999-12-31T23:59:59Z' },
  { name: 'e/p4', what: 'before the year 1', micros: -62_167_219_200e6, shown: '0001-01-01T00:00:00Z' },
  { name: 'e/p5', what: 'no date at all', micros: 9e18, shown: '9999-12-31T23:59:59Z' },
];

const old = '01234567-0000-4000-8000-000000000000';
const recent = '01234567-0000-4000-8000-000000000001';

/** As older versions wrote it: the times go to the table unchecked. */
async function writeOldCall({ identity, clickhouse }: Context, name: string, micros: number): Promise<void> {
  const caller = await identity.authenticate({ authorization: `Bearer ${key}` });
  const projectId = await identity.projectForWrite(caller!, name);
  const more = { summary: '{"usage":{"m":{"input_tokens":5}}}', opName: 'op' };
  const line = toInsertLine({ ...plainCall(projectId, 1), id: old, traceId: old, threadId: 't', turnId: old, ...more });
  const oldLine = line.replaceAll(/"(started_at|ended_at)":\d+/g, `"$1":${micros}`);
  const started = Date.UTC(2024) * 1000;
  const recentLine = toInsertLine({ ...plainCall(projectId, started), id: recent, traceId: recent, ...more });
  await clickhouse.insert('calls', Buffer.from(oldLine + recentLine));
}

async function post(url: string, payload: object) {
  const answer = await app.inject({ method: 'POST', url, payload, headers: { authorization: `Bearer ${key}` } });
  const lines = answer.body.split('\n').filter(Boolean);
  return { status: answer.statusCode, text: answer.body, lines: lines.map((line) => JSON.parse(line)) };
}

describe.each(projects)('a stored call of $what', ({ name, shown }) => {
  const inProject = (more: object = {}) => ({ project_id: name, ...more });

  test.each([
    ['as it comes', {}],
    ['up to a limit', { limit: 2 }],
    ['the newest first', { sort_by: [{ field: 'started_at', direction: 'desc' }] }],
    ['by a payload', { sort_by: [{ field: 'inputs.x', direction: 'asc' }] }],
    ['from an offset', { offset: 0, limit: 10 }],
    ['by id', { filter: { call_ids: [old] } }],
    ['by trace', { filter: { trace_ids: [old] } }],
    ['with everything', { include_costs: true, include_feedback: true, include_total_storage_size: true }],
    ['by a condition', { query: { $expr: { $eq: [{ $getField: 'id' }, { $literal: old }] } } }],
  ])('is listed %s', async (_how, query) => {
    const { status, lines } = await post('/calls/stream_query', inProject(query));
    expect(status).toBe(200);
    expect(lines.find(({ id }) => id === old)).toMatchObject({ started_at: shown, ended_at: shown });
  });

  test('is listed page by page', async () => {
    const pages = [0, 1, 2].map((offset) => post('/calls/stream_query', inProject({ limit: 1, offset })));
    const found = (await Promise.all(pages)).map(({ lines }) => lines.map(({ id }) => id));
    expect(found.flat().toSorted()).toEqual([old, recent]);
    expect(found[2]).toEqual([]);
  });

  test('is read, counted and added up', async () => {
    const read = await post('/call/read', inProject({ id: old }));
    expect(read.status).toBe(200);
    expect(read.lines[0].call).toMatchObject({ id: old, started_at: shown });
    expect((await post('/calls/query_stats', inProject())).lines[0].count).toBe(2);
    expect((await post('/calls/query_stats', inProject({ filter: { call_ids: [old] } }))).lines[0].count).toBe(1);
    const usage = await post('/trace/usage', inProject({ limit: 10 }));
    expect(usage.status).toBe(200);
    expect(usage.lines[0].call_usage[old]).toHaveProperty('m');
    expect((await post('/calls/usage', inProject({ call_ids: [old] }))).status).toBe(200);
    const threads = await post('/threads/stream_query', inProject());
    expect(threads.status).toBe(200);
    expect(threads.lines).toMatchObject([{ thread_id: 't', start_time: shown, last_updated: shown }]);
    const range = { start: '2024-01-01T00:00:00Z', end: '2024-01-02T00:00:00Z' };
    expect((await post('/calls/stats', inProject({ ...range, usage_metrics: [], call_metrics: [] }))).status).toBe(200);
  });

  test('is renamed and deleted', async () => {
    expect((await post('/call/update', inProject({ call_id: old, display_name: 'renamed' }))).status).toBe(200);
    expect((await post('/call/read', inProject({ id: old }))).lines[0].call.display_name).toBe('renamed');
    expect((await post('/calls/delete', inProject({ call_ids: [old] }))).lines).toEqual([{ num_deleted: 1 }]);
    const left = await post('/calls/stream_query', inProject());
    expect(left.lines.map(({ id }) => id)).toEqual([recent]);
  });
});
