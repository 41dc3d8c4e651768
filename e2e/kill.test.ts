import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { request } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Answer, type Heddle, startHeddle } from './harness/heddle.ts';
import { testDataDirectory } from './harness/heddle-for-file.ts';
import { openClient } from './kills/client.ts';
import { findHalfThere } from './kills/half-there.ts';
import { Ledger } from './kills/ledger.ts';
import { startWriting } from './kills/writers.ts';

let data: string;
beforeEach(() => {
  data = testDataDirectory();
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const project = 'ent/killed';

test('what was acknowledged before SIGKILL is there after a restart', async () => {
  const heddle = await startHeddle(data);
  const writers = startWriters(heddle);
  await writers.reached(200);
  await heddle.end('SIGKILL');
  await expectAllKept(await writers.stopped());
});

test('after SIGKILL in the middle of writes of every kind, what was acknowledged holds and nothing is half there', async () => {
  const ledger = new Ledger();
  const heddle = await startHeddle(data);
  const writing = startWriting(openClient(heddle, data), project, ledger);
  await Promise.race([ledger.reached(250), writing.ended]);
  writing.stop();
  await heddle.end('SIGKILL');
  await writing.ended;
  const next = await startHeddle(data);
  const client = openClient(next, data);
  expect(await ledger.verify(client)).toEqual([]);
  expect(await findHalfThere(client, project)).toEqual([]);
  await next.close();
});

test('at SIGTERM begun requests are answered, nothing acknowledged is lost, and the exit status is 0', async () => {
  const heddle = await startHeddle(data);
  const writers = startWriters(heddle);
  await writers.reached(60);
  const begun = await Promise.all(Array.from({ length: 5 }, () => beginRequest(heddle)));
  const exit = heddle.end('SIGTERM');
  const finished = await Promise.all(begun.map(({ finish }) => finish()));
  expect(finished).toEqual(begun.map(() => 200));
  expect(await exit).toEqual({ code: 0, signal: null });
  const finishedCalls = begun.map(({ id }) => ({ kind: 'calls' as const, text: id, digest: '' }));
  await expectAllKept([...(await writers.stopped()), ...finishedCalls]);
});

type Kind = keyof typeof kinds;
type Acknowledged = { kind: Kind; text: string; digest: string };

/** How a thing of each kind is written, told apart by its text, and how that text is read again. */
const kinds = {
  calls: {
    write: (heddle: Heddle, text: string) =>
      heddle.post(`/v2/${project}/calls/complete`, { batch: [completeCall(text)] }),
    read: async (heddle: Heddle, { text }: Acknowledged) =>
      (await heddle.post('/call/read', { project_id: project, id: text })).json.call?.output,
  },
  objects: {
    write: (heddle: Heddle, text: string) =>
      heddle.post('/obj/create', { obj: { project_id: project, object_id: 'shared', val: { text } } }),
    read: async (heddle: Heddle, { digest }: Acknowledged) =>
      (await heddle.post('/obj/read', { project_id: project, object_id: 'shared', digest })).json.obj?.val.text,
  },
  tables: {
    write: (heddle: Heddle, text: string) =>
      heddle.post('/table/create', { table: { project_id: project, rows: [{ n: 1 }, { text }] } }),
    read: async (heddle: Heddle, { digest }: Acknowledged) =>
      (await heddle.post('/table/query', { project_id: project, digest })).json.rows?.[1]?.val.text,
  },
  files: {
    write: (heddle: Heddle, text: string) => heddle.upload(project, text),
    read: async (heddle: Heddle, { digest }: Acknowledged) =>
      (await heddle.post('/file/content', { project_id: project, digest })).text,
  },
};

/** For each kind two clients that send one thing after another, until the server is gone. */
function startWriters(heddle: Heddle) {
  const acknowledged: Acknowledged[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const write = async (kind: Kind) => {
    for (;;) {
      const text = randomUUID();
      const answer: Answer | null = await kinds[kind].write(heddle, text).catch(() => null); // the server is gone
      if (answer === null) return;
      expect(answer).toMatchObject({ status: 200 });
      acknowledged.push({ kind, text, digest: answer.json.digest });
      for (const { count, resolve } of waiting) if (acknowledged.length >= count) resolve();
    }
  };
  const names = Object.keys(kinds) as Kind[];
  const writers = Promise.all([...names, ...names].map(write));
  return {
    reached: (count: number) =>
      Promise.race([new Promise<void>((resolve) => waiting.push({ count, resolve })), writers]),
    stopped: () => writers.then(() => acknowledged),
  };
}

/** Starts the server again on the same data and reads everything. */
async function expectAllKept(acknowledged: Acknowledged[]): Promise<void> {
  expect(new Set(acknowledged.map(({ kind }) => kind))).toEqual(new Set(Object.keys(kinds)));
  const heddle = await startHeddle(data);
  const found = await Promise.all(acknowledged.map((each) => kinds[each.kind].read(heddle, each)));
  expect(found).toEqual(acknowledged.map(({ text }) => text));
  await heddle.close();
}

/** A request whose head the server has read, and whose body is yet to come. */
async function beginRequest(heddle: Heddle) {
  const id = randomUUID();
  const headers = { authorization: `Bearer ${heddle.key}`, 'content-type': 'application/json', expect: '100-continue' };
  const sent = request(`${heddle.url}/v2/${project}/calls/complete`, { method: 'POST', headers, agent: false });
  const response = once(sent, 'response');
  sent.flushHeaders();
  await once(sent, 'continue');
  return {
    id,
    async finish() {
      sent.end(JSON.stringify({ batch: [completeCall(id)] }));
      const [answer] = await response;
      answer.resume();
      await once(answer, 'end');
      return answer.statusCode as number;
    },
  };
}

function completeCall(id: string) {
  const now = new Date().toISOString();
  const names = { id, trace_id: id, project_id: project, op_name: 'work' };
  return { ...names, attributes: {}, inputs: {}, output: id, summary: {}, started_at: now, ended_at: now };
}
