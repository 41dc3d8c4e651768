import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { completeOf, readCall } from '../../api/testing/calls.ts';
import { startTestServer, type TestServer } from '../../api/testing/server.ts';

/** How bodies may arrive. One client's idle, slow or broken connections take nothing from others. */

const dataMax = 4 * 1024 * 1024;
let server: TestServer;
let project: string;
beforeAll(async () => {
  server = await startTestServer({
    HEDDLE_DATA_MAX_BYTES: String(dataMax),
    HEDDLE_BODY_BYTES_PER_SECOND_MIN: '1000',
    HEDDLE_BODY_SECONDS_MAX: '14',
  });
  project = await server.newProject();
  return () => server.close();
});

const opened: Upload[] = [];

type Upload = {
  socket: Socket;
  write(bytes: string | Buffer): void;
  answer: Promise<{ status: number; text: string }>;
};

/** A request whose body is sent by hand. */
function upload(headers: string[], path = `/v2/${project}/calls/complete`): Upload {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.on('data', (piece) => (text += piece)).on('error', () => {});
  const head = [`POST ${path} HTTP/1.1`, 'Host: a', `Authorization: Bearer ${server.key}`, ...headers];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const answer = new Promise<string>((resolve) => {
    socket.on('data', () => /\r\n\r\n[\s\S]/.test(text) && resolve(text)).on('close', () => resolve(text));
  }).then((whole) => ({ status: Number(whole.split(' ')[1]), text: whole }));
  const started = { socket, write: (bytes: string | Buffer) => socket.write(bytes), answer };
  opened.push(started);
  return started;
}

const filled = (bytes: number) =>
  JSON.stringify({ batch: [completeOf(project, { inputs: { x: 'x'.repeat(bytes) } })] });
const writeCall = async (bytes = 100) => (await server.post(`/v2/${project}/calls/complete`, filled(bytes))).status;

describe('one after the other', () => {
  afterEach(async () => {
    for (const { socket } of opened.splice(0)) if (!socket.destroyed) await once(socket.destroy(), 'close');
  });

  test('bodies that are announced and do not come keep nobody from writing', async () => {
    for (let i = 0; i < 20; i++) upload(['Content-Length: 33554432']);
    for (let i = 0; i < 20; i++) upload(['Transfer-Encoding: chunked']);
    await once(opened.at(-1)!.socket, 'connect');
    expect(await writeCall()).toBe(200);
    expect(await writeCall(1024 * 1024)).toBe(200);
  });

  test.each([
    ['of writes', undefined],
    ['of GraphQL', '/graphql'],
  ])('bodies %s that have arrived in part leave room for small ones, and refusals say why', async (_, path) => {
    const parts = Array.from({ length: 8 }, () => upload(['Content-Length: 8000000'], path));
    for (const { write } of parts) write('x'.repeat(1024 * 1024));
    const answers = await Promise.race(parts.map(({ answer }) => answer));
    expect(answers.status).toBe(429);
    expect(answers.text).toMatch(/retry-after: 1/i);
    expect(answers.text).toContain('HEDDLE_DATA_MAX_BYTES=4194304');
    expect(await writeCall()).toBe(200);
  });

  test('a connection that breaks frees what it held', async () => {
    const part = upload(['Content-Length: 33554432']);
    part.write('x'.repeat(3 * 1024 * 1024));
    for (let i = 0; i < 100 || part.socket.writableLength > 0; i++) await server.get('/health'); // until it has arrived
    expect(await writeCall(2 * 1024 * 1024)).toBe(429);
    await once(part.socket.destroy(), 'close');
    await expect.poll(() => writeCall(2 * 1024 * 1024), { timeout: 10_000 }).toBe(200);
  });

  test('a client that is still sending reads why it is refused, and goes on with its connection', async () => {
    const large = upload([`Content-Length: ${40 * 1024 * 1024}`]);
    large.write(Buffer.alloc(40 * 1024 * 1024, 'x'));
    const { status, text } = await large.answer;
    expect([status, text.includes('HEDDLE_BODY_MAX_BYTES')]).toEqual([413, true]);
    large.write('GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    const [piece] = await once(large.socket, 'data');
    expect(String(piece)).toContain('HTTP/1.1 200');
  });

  test('a body in chunks is read like any other', async () => {
    const call = completeOf(project);
    const body = JSON.stringify({ batch: [call] });
    const chunked = upload(['Transfer-Encoding: chunked']);
    for (const part of [body.slice(0, 50), body.slice(50)]) chunked.write(`${part.length.toString(16)}\r\n${part}\r\n`);
    chunked.write('0\r\n\r\n');
    expect((await chunked.answer).status).toBe(200);
    expect((await readCall(server, project, call.id)).call.id).toBe(call.id);
  });
});

/** They wait for many seconds, and compute nothing. The server closes their connections. */
describe.concurrent('at the same time', () => {
  test.each([
    ['in chunks', () => upload(['Transfer-Encoding: chunked'])],
    [
      'of an upload',
      () => upload(['Content-Length: 100000', 'Content-Type: multipart/form-data; boundary=x'], '/file/create'),
    ],
    ['of a query', () => upload(['Content-Length: 1000'], '/calls/stream_query')],
    ['of a GraphQL request', () => upload(['Content-Length: 1000'], '/graphql')],
  ])(
    'a body %s that does not come is a 408 that names the rate',
    async (_name, begin) => {
      const started = begin();
      const { status, text } = await started.answer;
      expect(status).toBe(408);
      expect(text).toContain('HEDDLE_BODY_BYTES_PER_SECOND_MIN=1000');
      if (!started.socket.closed) await once(started.socket, 'close');
    },
    30_000,
  );

  test('a body that drips is ended by its deadline, and what it held is free', async () => {
    const slow = upload(['Content-Length: 33554432']);
    slow.write('x'.repeat(3 * 1024 * 1024));
    const drip = setInterval(() => slow.write('x'.repeat(2000)), 500);
    const { status, text } = await slow.answer;
    clearInterval(drip);
    expect(status).toBe(408);
    expect(text).toContain('HEDDLE_BODY_SECONDS_MAX');
    expect(await writeCall(2 * 1024 * 1024)).toBe(200);
  }, 40_000);

  test('a body that comes after its refusal, drop by drop, is not waited for', async () => {
    const refused = upload(['Content-Length: 1000'], '/nowhere');
    expect((await refused.answer).status).toBe(404);
    if (!refused.socket.closed) await once(refused.socket, 'close');
  }, 30_000);
});
