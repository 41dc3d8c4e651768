import { rmSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { modelProcesses } from '../src/chat/testing/model-processes.ts';
import { startTestServer } from '../src/store/postgres/testing/postgres-server.ts';
import { freePorts } from '../src/util/testing/free-ports.ts';
import { spawnHeddle } from '../testing/heddle-process.ts';
import { type Heddle, newDataDirectory, runHeddle, startHeddle } from './harness/heddle.ts';
import { testDataDirectory } from './harness/heddle-for-file.ts';

/** What a balancer and an orchestrator see of a server from its start to its end. */

const directories: string[] = [];
afterEach(() => {
  for (const each of directories.splice(0)) rmSync(each, { recursive: true, force: true });
});

function remembered(data: string): string {
  directories.push(data);
  return data;
}

const long = { messages: [{ role: 'user', content: 'Hi' }], ignore_eos: true, max_tokens: 900 };

async function post(heddle: Heddle, path: string, body: object, headers: object = {}): Promise<Response> {
  return fetch(heddle.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${heddle.key}`, ...headers },
    body: JSON.stringify(body),
  });
}

/** Begins a stream, and resolves once its first bytes have arrived. */
async function beginStream(heddle: Heddle, path: string, body: object) {
  const response = await post(heddle, path, body);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let received = (await reader.read()).value!;
  return {
    async rest(): Promise<string> {
      for (let part = await reader.read(); !part.done; part = await reader.read()) received += part.value;
      return received;
    },
  };
}

/** A model that does not compute: what it was asked stays under way. */
function holdModel(heddle: Heddle): { goOn(): void } {
  const { pid } = modelProcesses(heddle.pid)[0]!;
  process.kill(pid, 'SIGSTOP');
  return { goOn: () => process.kill(pid, 'SIGCONT') };
}

const readiness = async (url: string) => {
  const answer = await fetch(`${url}/health/ready`);
  return { code: answer.status, ...((await answer.json()) as object) };
};

test('after SIGTERM it serves until balancers know, finishes what is under way, and exits with 0', async () => {
  const heddle = await startHeddle(remembered(testDataDirectory()), { HEDDLE_DRAIN_DELAY_SECONDS: '2' });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = () =>
    new Promise<IncomingMessage>((resolve, reject) =>
      request(`${heddle.url}/version`, { agent }, resolve).once('error', reject).end(),
    );
  const first = await ask();
  expect(first.headers).toMatchObject({ connection: 'keep-alive', 'keep-alive': 'timeout=72' });
  await text(first);
  const stream = await beginStream(heddle, '/v1/chat/completions', { ...long, stream: true });
  const model = holdModel(heddle);

  const ended = heddle.end('SIGTERM');
  await expect.poll(async () => readiness(heddle.url)).toMatchObject({ code: 503, status: 'draining' });
  expect((await fetch(`${heddle.url}/health`)).status).toBe(200);
  const again = await ask();
  expect(again.headers.connection).toBe('close');
  await text(again);
  const background = post(heddle, '/v1/responses', { input: 'Hi', background: true, max_output_tokens: 1 });
  await expect
    .poll(() =>
      fetch(`${heddle.url}/health`).then(
        ({ status }) => status,
        () => 'refused',
      ),
    )
    .toBe('refused');
  model.goOn();
  const { status, headers } = await background;
  expect([status, headers.get('connection'), headers.get('retry-after')]).toEqual([503, 'close', '1']);
  const received = await stream.rest();
  expect(received).toContain('"finish_reason":"length"');
  expect(received.endsWith('data: [DONE]\n\n')).toBe(true);
  expect(await ended).toEqual({ code: 0, signal: null });
});

test('what does not finish in time ends with an error in its own form, and a second signal ends the process at once', async () => {
  const data = remembered(testDataDirectory());
  const heddle = await startHeddle(data, { HEDDLE_DRAIN_SECONDS: '1' });
  const project = heddle.newProject();
  const named = { 'x-heddle-project': project };
  const input = { input: 'Hi', ignore_eos: true, max_output_tokens: 900 };
  const inputs = { model: 'heddle/tiny', ...long };
  await post(heddle, '/v1/chat/completions', { ...long, max_tokens: 1 }); // opens the model
  const [background, ...streams] = await Promise.all([
    post(heddle, '/v1/responses', { ...input, background: true }, named).then((answer) => answer.json()),
    beginStream(heddle, '/v1/chat/completions', { ...long, stream: true }),
    beginStream(heddle, '/v1/responses', { ...input, stream: true }),
    beginStream(heddle, '/completions/create_stream', { project_id: project, inputs }),
  ]);
  holdModel(heddle);
  const whole = post(heddle, '/v1/chat/completions', long);
  expect((await heddle.get(`/v1/responses/${background.id}`)).json.status).toMatch(/queued|in_progress/);

  const ended = heddle.end('SIGTERM');
  const [chat, response, lines] = await Promise.all(streams.map((each) => each.rest()));
  const reason = 'The server is stopping.';
  expect(chat).toMatch(new RegExp(`data: {"error":{"message":"${reason}".*}}\n\ndata: \\[DONE\\]\n\n$`));
  expect(response).toMatch(new RegExp(`event: response.failed\ndata: .*"message":"${reason}"`));
  expect(lines).toMatch(new RegExp(`{"error":"${reason}"}\n$`));
  expect((await whole).status).toBe(503);
  expect(await ended).toEqual({ code: 0, signal: null });

  const next = await startHeddle(data, { HEDDLE_DRAIN_DELAY_SECONDS: '60' }); // answers while it stops
  const stored = (await next.get(`/v1/responses/${background.id}`)).json;
  expect(stored).toMatchObject({ status: 'failed', error: { message: reason } });
  await beginStream(next, '/v1/chat/completions', { ...long, stream: true });
  holdModel(next);
  const killed = next.end('SIGTERM');
  await expect.poll(async () => readiness(next.url)).toMatchObject({ status: 'draining' });
  next.end('SIGTERM');
  expect(await killed).toEqual({ code: 143, signal: null });
});

test('while PostgreSQL is away it is alive and not ready, and can be stopped; others need its key', async () => {
  const postgres = await startTestServer();
  const url = (await postgres.createDatabase()).replace('heddle@', 'heddle:hidden@');
  const heddle = await startHeddle(remembered(newDataDirectory()), { HEDDLE_POSTGRES_URL: url });
  try {
    expect(await readiness(heddle.url)).toMatchObject({ code: 200, status: 'ready' });
    await postgres.crash!();
    await expect
      .poll(async () => readiness(heddle.url))
      .toMatchObject({
        ...{ code: 503, status: 'failing', reason: 'PostgreSQL fails' },
        stores: [{ name: 'ClickHouse' }, { name: 'PostgreSQL', kind: 'server', is_up: false }, { name: 'Files' }],
      });
    const probe = await fetch(`${heddle.url}/health/ready`);
    expect(await probe.text()).not.toMatch(/hidden|127\.0\.0\.1/);
    expect((await fetch(`${heddle.url}/health`)).status).toBe(200);
    await postgres.start();
    await expect.poll(async () => readiness(heddle.url)).toMatchObject({ code: 200, status: 'ready' });
    await postgres.crash!();
    expect(await heddle.end('SIGTERM')).toEqual({ code: 0, signal: null });

    await postgres.start();
    const other = await runHeddle(remembered(newDataDirectory()), ['serve'], { HEDDLE_POSTGRES_URL: url });
    expect(other).toMatchObject({
      code: 2,
      err: expect.stringMatching(/lacks their secret\.key.*openssl rand -hex 32/),
    });
  } finally {
    await heddle.end('SIGKILL');
    await postgres.close();
  }
});

test('while it starts it is alive and not ready, other requests wait, and a signal ends it', async () => {
  const silent = createServer().listen(0, '127.0.0.1'); // accepts connections, and never answers
  await new Promise((resolve) => silent.once('listening', resolve));
  const [port] = await freePorts(1);
  const heddle = spawnHeddle({
    settings: {
      ...{ HEDDLE_PORT: String(port), HEDDLE_DATA: remembered(newDataDirectory()) },
      HEDDLE_POSTGRES_URL: `postgres://heddle@127.0.0.1:${(silent.address() as { port: number }).port}/heddle`,
    },
  });
  const url = `http://127.0.0.1:${port}`;
  await expect
    .poll(() =>
      fetch(`${url}/health`).then(
        (answer) => answer.json(),
        () => null,
      ),
    )
    .toEqual({ status: 'ok' });
  expect(await readiness(url)).toMatchObject({ code: 503, status: 'starting' });
  const waiting = fetch(`${url}/version`).catch(() => 'closed');
  heddle.child.kill('SIGTERM');
  expect(await heddle.exited).toEqual({ code: 0, signal: null });
  expect(await waiting).toBe('closed');
  silent.close();
});
