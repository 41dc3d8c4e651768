import { randomUUID } from 'node:crypto';
import type { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { type Hit, send } from '../load.ts';

export type StormTarget = { address: string; key: string; project: string; agent: Agent };

/** One kind of hostile request at its largest allowed size. `prepare` stores what it needs, `shoot` sends one and waits for it. */
export type Storm = {
  name: string;
  prepare?(target: StormTarget): Promise<unknown>;
  shoot(target: StormTarget, prepared: unknown): Promise<number>;
};

const bodyMax = 32 * 1024 * 1024;
const queryMax = 4 * 1024 * 1024;

/** What each storm of `bench/abuse.ts` sends, ten at once. */
export const storms: Storm[] = [
  {
    name: 'constraints: deep and huge regexes, grammars, schemas',
    async shoot(target) {
      const statuses = await Promise.all(
        constraints.map(async (structured_outputs) => (await chat(target, { structured_outputs })).status),
      );
      return Math.max(...statuses);
    },
  },
  {
    name: 'templates without an end',
    shoot: async (target) => (await chat(target, { chat_template: endlessTemplate })).status,
  },
  {
    name: 'chats: the longest prompts and answers',
    shoot: async (target) =>
      (await chat(target, { messages: [{ role: 'user', content: 'a b '.repeat(100_000) }], max_tokens: 100_000 }))
        .status,
  },
  {
    name: 'writes: values that no column holds',
    async shoot(target) {
      const calls = unstorable.map((more) => completeCall(target.project, more));
      const hits = await Promise.all(calls.map((call) => complete(target, [call])));
      return Math.max(...hits.map(({ status }) => status));
    },
  },
  {
    name: 'writes: 32 MB in one body',
    async prepare({ project }) {
      const call = () => completeCall(project, { inputs: { text: 'lorem ipsum '.repeat(85_000) } });
      return encode({ batch: Array.from({ length: 30 }, call) });
    },
    shoot: async (target, body) => (await request(target, `/v2/${target.project}/calls/complete`, body)).status,
  },
  { name: 'bodies that are announced and never sent', shoot: (target) => announceOnly(target) },
  {
    name: 'queries: a repetitive text in 2 MB payloads',
    async prepare(target) {
      const calls = Array.from({ length: 10 }, () =>
        completeCall(target.project, { inputs: { text: 'a'.repeat(2_000_000) }, output: 'a'.repeat(1_000_000) }),
      );
      for (const call of calls) await complete(target, [call]);
    },
    shoot: (target) =>
      query(target, { $contains: { input: { $getField: 'inputs.text' }, substr: { $literal: repetitive } } }),
  },
  {
    name: 'queries: 100 conditions over every payload',
    shoot: (target) =>
      query(target, {
        $or: Array.from({ length: 100 }, (_, index) => ({
          $contains: {
            input: { $getField: 'output' },
            substr: { $literal: `rare${index} word` },
            case_insensitive: true,
          },
        })),
      }),
  },
  {
    name: 'tables: 100,000 inserts at 0 in a table of a million rows',
    async prepare(target) {
      const rows = Array.from({ length: 1_000_000 }, (_, n) => ({ n }));
      const made = await post(target, '/table/create', { table: { project_id: target.project, rows } });
      const updates = Array.from({ length: 100_000 }, (_, n) => ({ insert: { index: 0, row: { n: -n } } }));
      return encode({ project_id: target.project, base_digest: made.digest, updates });
    },
    shoot: async (target, body) => (await request(target, '/table/update', body)).status,
  },
  {
    name: 'validation: as many wrong elements as fit',
    prepare: async () => encode(`{"batch":[${'0,'.repeat(bodyMax / 2 - 20)}0]}`),
    shoot: async (target, body) => (await request(target, '/call/upsert_batch', body)).status,
  },
  {
    name: 'GraphQL: as many aliases as fit',
    async prepare() {
      const fields = Array.from({ length: 100_000 }, (_, index) => `a${index}:viewer{id}`).join(' ');
      return encode({ query: `{${fields}}` });
    },
    shoot: async (target, body) => (await request(target, '/graphql', body)).status,
  },
  {
    name: 'JSON: 4 MB of nested arrays, keys and escapes',
    prepare: async (target) =>
      [
        '['.repeat(queryMax - 10),
        `{"project_id":"${target.project}","query":{${Array.from({ length: 200_000 }, (_, n) => `"k${n}":${n}`).join()}}}`,
        `{"project_id":"${'\\u0041'.repeat(queryMax / 6 - 20)}"}`,
        `{"project_id":"${target.project}","limit":${'9'.repeat(queryMax - 100)}}`,
      ].map(encode),
    async shoot(target, bodies) {
      const send = (body: Buffer) => request(target, '/calls/stream_query', body);
      const hits = await Promise.all((bodies as Buffer[]).map(send));
      return Math.max(...hits.map(({ status }) => status));
    },
  },
];

const open = `${'('.repeat(500)}a${')'.repeat(500)}`;
const endlessTemplate =
  '{% for a in range(99999) %}{% for b in range(99999) %}{% set x = a * b %}{% endfor %}{% endfor %}';
const repetitive = `${'a'.repeat(1_000)}b`;

const constraints = [
  { regex: open },
  { regex: '(a{1000}){1000}' },
  { grammar: `root ::= ${open}` },
  { json: { type: 'string', pattern: open } },
  { json: JSON.parse(`${'{"items":'.repeat(500)}{}${'}'.repeat(500)}`) },
];

const unstorable = [
  { started_at: '0001-01-01T00:00:00Z' },
  { started_at: '9999-01-01T00:00:00Z' },
  { wb_run_step: 1e30 },
  { wb_run_step: '9223372036854775808' },
];

function completeCall(project: string, more: Record<string, unknown>) {
  const [started_at, ended_at] = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z'];
  const call = {
    project_id: project,
    id: randomUUID(),
    trace_id: randomUUID(),
    op_name: 'storm',
    started_at,
    ended_at,
  };
  return { ...call, attributes: {}, inputs: {}, output: null, summary: {}, ...more };
}

function complete(target: StormTarget, batch: unknown[]): Promise<Hit> {
  return request(target, `/v2/${target.project}/calls/complete`, { batch });
}

function chat(target: StormTarget, more: Record<string, unknown>): Promise<Hit> {
  const messages = [{ role: 'user', content: 'Hi' }];
  return request(target, '/v1/chat/completions', { model: 'heddle/tiny', messages, max_tokens: 8, ...more });
}

async function query(target: StormTarget, expr: unknown): Promise<number> {
  return (
    await request(target, '/calls/stream_query', { project_id: target.project, query: { $expr: expr }, limit: 50 })
  ).status;
}

async function post(target: StormTarget, path: string, body: unknown): Promise<{ digest: string }> {
  const { status, text } = await request(target, path, body);
  if (status !== 200) throw new Error(`${path} answered ${status}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
}

function request({ address, key, agent }: StormTarget, path: string, body: unknown): Promise<Hit> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
  return send(address, agent, { path, headers, body: encode(body) });
}

/** Text and bytes stay as they are; the rest becomes JSON. */
function encode(body: unknown): Buffer {
  if (body instanceof Buffer) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Announces the largest body, sends nothing of it, and holds the connection for two seconds or until it is closed. */
function announceOnly({ address, key, project }: StormTarget): Promise<number> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve) => {
    const socket: Socket = connect(Number(port), hostname, () => {
      const lines = [
        `POST /v2/${project}/calls/complete HTTP/1.1`,
        `Host: ${hostname}`,
        `Authorization: Bearer ${key}`,
        'Content-Type: application/json',
        `Content-Length: ${bodyMax}`,
      ];
      socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    });
    const end = () => {
      socket.destroy();
      resolve(0);
    };
    setTimeout(end, 2_000).unref();
    socket.once('error', end).once('close', end);
  });
}
