import { randomUUID } from 'node:crypto';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { canMount, mountSmallDisk, type SmallDisk } from '../src/store/disk/testing/small-disk.ts';
import { type Answer, type Heddle, startHeddle } from './harness/heddle.ts';
import { checkpointsOf, eventsOf, newModel, startSftJob } from './training/training-jobs.ts';

const diskMegabytes = 240;
const reserveBytes = (diskMegabytes / 8) * 1024 ** 2; // the default on a small disk
const project = 'ent/full';

let disk: SmallDisk;
let heddle: Heddle;
const started: Heddle[] = [];

describe.skipIf(!canMount())('on a real file system that fills up (needs the right to mount)', () => {
  beforeEach(async () => {
    disk = mountSmallDisk(diskMegabytes);
    cpSync(inject('storeTemplate'), join(disk.path, 'data'), { recursive: true, verbatimSymlinks: true });
    await start();
  });
  afterEach(async () => {
    for (const each of started.splice(0)) await each.end('SIGKILL');
    disk.remove();
  });

  test('new data are refused with 507 and the reason, reads and deletions go on, and writes come back by themselves', async () => {
    const before = await writeAll();
    disk.fill(reserveBytes / 2);
    await vi.waitFor(async () => expect((await writers.calls()).status).toBe(507), waiting);
    for (const [kind, write] of Object.entries(writers)) {
      const { status, json } = await write();
      expect([kind, status]).toEqual([kind, 507]);
      expect(json.reason).toMatch(/The disk of .+ is almost full: [\d.]+ MB \(\d+ bytes\) are free/);
      expect(json.reason).toContain(`HEDDLE_DISK_RESERVE_BYTES=${reserveBytes}`);
    }
    await expectReadable(before);
    await expectListsWork();
    expect((await erase(before[0]!)).status).toBe(200);

    await vi.waitFor(() => expect(heddle.log()).toContain('new data are refused with 507'), waiting);

    disk.empty();
    await vi.waitFor(async () => expect((await writers.calls()).status).toBe(200), waiting);
    await expectReadable([...before.slice(1), ...(await writeAll())]);
    await vi.waitFor(() => expect(heddle.log()).toContain('writes are accepted again'), waiting);
  });

  test('a disk filled to the last byte during writes loses nothing acknowledged, also over kill -9', async () => {
    const acknowledged: Stored[] = await writeAll();
    let isStopped = false;
    const statuses = new Set<number>();
    const loops = Object.keys(writers).map(async (kind) => {
      while (!isStopped) {
        const answer = await writers[kind as Kind]();
        statuses.add(answer.status);
        if (answer.status === 200) acknowledged.push({ kind: kind as Kind, ...answer });
        await sleep(5);
      }
    });
    for (let round = 0; round < 3; round++) {
      for (let again = 0; again < 5; again++) {
        disk.fill(0);
        await expectListsWork();
      }
      disk.empty();
      await vi.waitFor(async () => expect((await writers.files()).status).toBe(200), waiting);
    }
    disk.fill(0);
    isStopped = true;
    await Promise.all(loops);
    expect([...statuses].sort()).toEqual([200, 507]);

    await heddle.end('SIGKILL');
    await start(); // there is not a byte but what heddle kept for this
    await expectReadable(acknowledged);
    expect((await writers.calls()).status).toBe(507);
    disk.empty();
    await vi.waitFor(async () => expect((await writers.objects()).status).toBe(200), waiting);
    await expectReadable(acknowledged);
  });

  test('a training job ends with the reason, and the last checkpoint stays served [training 54]', async () => {
    const model = await newModel(heddle, project);
    const first = await startSftJob(heddle, model, 1);
    await vi.waitFor(async () => expect((await eventsOf(heddle, first)).at(-1)?.type).toBe('training_ended'), waiting);

    const second = await startSftJob(heddle, model, 200);
    await vi.waitFor(async () => expect((await eventsOf(heddle, second)).length).toBeGreaterThan(1), waiting);
    disk.fill(reserveBytes / 2);
    await vi.waitFor(async () => {
      expect((await eventsOf(heddle, second)).at(-1)).toMatchObject({
        type: 'training_failed',
        data: { error_message: expect.stringMatching(/The disk of .+ is almost full/) },
      });
    }, waiting);
    expect(await checkpointsOf(heddle, model)).toMatchObject([{ step: 1 }]);
    const messages = [{ role: 'user', content: 'Say yes, no or maybe.' }];
    const chat = { model: `wandb-artifact:///${project}/agent`, messages, max_tokens: 1 };
    expect((await heddle.post('/v1/chat/completions', chat)).status).toBe(200);

    disk.empty();
    await vi.waitFor(async () => expect((await writers.calls()).status).toBe(200), waiting);
    const third = await startSftJob(heddle, model, 1);
    await vi.waitFor(async () => expect((await eventsOf(heddle, third)).at(-1)?.type).toBe('training_ended'), waiting);
    expect(await checkpointsOf(heddle, model)).toMatchObject([{ step: 1 }, { step: 2 }]);
  });
});

/** How long a change of the disk may take to be noticed; generous, for slow machines. */
const waiting = { timeout: 40_000, interval: 100 };

type Kind = keyof typeof writers;
type Stored = { kind: Kind; text: string; json: Answer['json'] };
type Written = Answer & { text: string };

async function start(): Promise<void> {
  heddle = await startHeddle(join(disk.path, 'data'));
  started.push(heddle);
}

const writers = {
  calls: (text: string = randomUUID()) =>
    written(text, `/v2/${project}/calls/complete`, { batch: [callOf(text, project)] }),
  objects: (text: string = randomUUID()) =>
    written(text, '/obj/create', { obj: { project_id: project, object_id: 'shared', val: { text } } }),
  tables: (text: string = randomUUID()) =>
    written(text, '/table/create', { table: { project_id: project, rows: [{ text }] } }),
  files: async (text: string = randomUUID()) => sent(await heddle.upload(project, text), text),
};

async function written(text: string, path: string, body: unknown): Promise<Written> {
  return sent(await heddle.post(path, body), text);
}

function sent(answer: Answer, text: string): Written {
  return { status: answer.status, json: answer.json, lines: [], text };
}

async function writeAll(): Promise<Stored[]> {
  const stored: Stored[] = [];
  for (const kind of Object.keys(writers) as Kind[]) {
    const answer = await writers[kind]();
    expect([kind, answer.status]).toEqual([kind, 200]);
    stored.push({ kind, text: answer.text, json: answer.json });
  }
  return stored;
}

const readers: Record<Kind, (stored: Stored) => Promise<unknown>> = {
  calls: async ({ text }) => (await heddle.post('/call/read', { project_id: project, id: text })).json.call?.output,
  objects: async ({ json: { digest } }) =>
    (await heddle.post('/obj/read', { project_id: project, object_id: 'shared', digest })).json.obj?.val.text,
  tables: async ({ json: { digest } }) =>
    (await heddle.post('/table/query', { project_id: project, digest })).json.rows?.[0]?.val.text,
  files: async ({ json: { digest } }) => (await heddle.post('/file/content', { project_id: project, digest })).text,
};

async function expectReadable(stored: Stored[]): Promise<void> {
  for (const each of stored) expect([each.kind, await readers[each.kind](each)]).toEqual([each.kind, each.text]);
}

async function expectListsWork(): Promise<void> {
  const calls = await heddle.post('/calls/stream_query', { project_id: project, limit: 3 });
  const objects = await heddle.post('/objs/query', { project_id: project });
  const health = await fetch(`${heddle.url}/health/ready`);
  expect([calls.status, objects.status, health.status]).toEqual([200, 200, 200]);
}

function erase(call: Stored): Promise<Answer> {
  return heddle.post('/calls/delete', { project_id: project, call_ids: [call.text] });
}

function callOf(id: string, projectId: string) {
  const now = new Date().toISOString();
  const names = { id, trace_id: id, project_id: projectId, op_name: 'work' };
  return { ...names, attributes: {}, inputs: {}, output: id, summary: {}, started_at: now, ended_at: now };
}
