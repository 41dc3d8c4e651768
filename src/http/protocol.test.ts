import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../api/testing/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ HEDDLE_CONNECTIONS_MAX: '20' });
});
afterAll(() => server.close());

type RawAnswer = { status: number; type: string; json: any; headers: string };

function open(): Socket {
  const { hostname, port } = new URL(server.url);
  return connect(Number(port), hostname);
}

/** Sends bytes as they are and reads until the server closes the connection. */
function send(bytes: string | Buffer): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = open();
    const pieces: Buffer[] = [];
    socket.on('data', (piece: Buffer) => pieces.push(piece));
    socket.on('error', reject);
    socket.on('close', () => resolve(readAnswer(Buffer.concat(pieces).toString())));
    socket.write(bytes);
  });
}

function readAnswer(text: string): RawAnswer {
  const [headers = '', ...body] = text.split('\r\n\r\n');
  return {
    status: Number(headers.split(' ')[1]),
    type: /content-type: (.*)/i.exec(headers)?.[1] ?? '',
    json: body.join('') === '' ? null : JSON.parse(body.join('')),
    headers,
  };
}

const request = (line: string, headers: string[] = [], body = '') =>
  `${[line, 'Host: a', 'Connection: close', ...headers].join('\r\n')}\r\n\r\n${body}`;
const post = (headers: string[], body: string) =>
  request('POST /call/read HTTP/1.1', [`Authorization: Bearer ${server.key}`, ...headers], body);

test.each<[string, () => string | Buffer, number]>([
  ['a stray percent sign in the path', () => request('GET /%zz HTTP/1.1'), 400],
  ['a path whose bytes are not UTF-8', () => request('GET /v2/%ff%fe/p/calls/complete HTTP/1.1'), 400],
  ['bytes beyond ASCII in the path', () => Buffer.from(request('GET /é HTTP/1.1'), 'latin1'), 400],
  ['a NUL in the path', () => request('GET /v2/a%00b/p/calls/complete HTTP/1.1'), 400],
  ['a NUL in the query', () => request('GET /health?a=%00 HTTP/1.1'), 400],
  ['a NUL under the documentation', () => request('GET /docs/%00 HTTP/1.1'), 400],
  ['a name longer than the limit', () => request(`POST /v2/${'a'.repeat(1025)}/p/calls/complete HTTP/1.1`), 414],
  ['an address longer than headers may be', () => request(`GET /health?${'a'.repeat(80_000)} HTTP/1.1`), 431],
  ['headers beyond the limit', () => request('GET /health HTTP/1.1', [`X: ${'a'.repeat(80_000)}`]), 431],
  [
    'many headers',
    () =>
      request(
        'GET /health HTTP/1.1',
        Array.from({ length: 3000 }, (_, i) => `a${i}: b`),
      ),
    431,
  ],
  ['no Host', () => 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
  ['two Hosts', () => request('GET /health HTTP/1.1', ['Host: b']), 400],
  ['a malformed Host', () => 'GET /health HTTP/1.1\r\nHost: a b/c?\r\nConnection: close\r\n\r\n', 400],
  ['an unknown method', () => request('FOO /health HTTP/1.1'), 400],
  ['a method of other protocols', () => request('PROPFIND /health HTTP/1.1'), 405],
  ['OPTIONS', () => request('OPTIONS /call/read HTTP/1.1'), 405],
  ['a method that the path does not serve', () => request('DELETE /call/read HTTP/1.1'), 405],
  ['CONNECT', () => request('CONNECT a:80 HTTP/1.1'), 405],
  ['an unknown path', () => request('GET /nowhere HTTP/1.1'), 404],
  ['a line that is not a request', () => 'hello\r\n\r\n', 400],
  ['the start of TLS', () => Buffer.from([0x16, 3, 1, 0, 0xa5, 1, 0, 0]), 400],
  ['the start of HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['a version of HTTP that there is not', () => 'GET /health HTTP/3.0\r\nHost: a\r\n\r\n', 400],
  ['lines ended by a line feed alone', () => 'GET /health HTTP/1.1\nHost: a\n\n', 400],
  ['a control character in a header', () => request('GET /health HTTP/1.1', ['X: a\x00b']), 400],
  ['a negative length', () => post(['Content-Length: -2'], '{}'), 400],
  ['two lengths', () => post(['Content-Length: 2', 'Content-Length: 3'], '{}'), 400],
  ['a length beyond 64 bits', () => post(['Content-Length: 99999999999999999999999'], '{}'), 400],
  ['a length beyond the limit', () => post(['Content-Length: 999999999999'], '{}'), 413],
  ['an unknown transfer encoding', () => post(['Transfer-Encoding: gzip'], '{}'), 400],
  [
    'a length beside chunks',
    () => post(['Transfer-Encoding: chunked', 'Content-Length: 2'], '2\r\n{}\r\n0\r\n\r\n'),
    400,
  ],
  ['a malformed chunk', () => post(['Transfer-Encoding: chunked'], 'zz\r\n{}\r\n0\r\n\r\n'), 400],
  ['an unknown expectation', () => post(['Expect: cake', 'Content-Length: 2'], '{}'), 417],
  ['a malformed content type', () => post(['Content-Type: json', 'Content-Length: 2'], '{}'), 415],
  ['an unknown content encoding', () => post(['Content-Encoding: x', 'Content-Length: 2'], '{}'), 400],
  ['no key', () => request('POST /call/read HTTP/1.1', ['Content-Length: 2'], '{}'), 401],
])('%s is answered in JSON, without a 5xx', async (_name, bytes, status) => {
  const answer = await send(bytes());
  expect(answer).toMatchObject({ status, type: 'application/json; charset=utf-8' });
  const said = answer.json.reason ?? answer.json.detail;
  expect(said).toEqual(expect.any(String));
  expect(said).not.toMatch(/node_modules|\.[jt]s:|FST_/);
});

test('405 lists the methods that are served', async () => {
  expect((await send(request('PUT /call/read HTTP/1.1'))).headers).toMatch(/allow: POST/i);
});

test.each([
  ['HTTP/1.0 without Host', 'GET /health HTTP/1.0\r\n\r\n'],
  ['an absolute address', request('GET http://elsewhere/health HTTP/1.1')],
  ['a body on GET', request('GET /health HTTP/1.1', ['Content-Length: 5'], 'hello')],
  ['an offer to switch protocols', request('GET /health HTTP/1.1', ['Upgrade: websocket'])],
  ['a repeated key in the query', request('GET /health?a=1&a=2&__proto__=3&%zz HTTP/1.1')],
])('%s is served', async (_name, bytes) => {
  expect(await send(bytes)).toMatchObject({ status: 200, json: { status: 'ok' } });
});

test('HEAD is answered as GET, without a body', async () => {
  expect(await send(request('HEAD /health HTTP/1.1'))).toMatchObject({ status: 200, json: null });
});

test('errors under /v1 have the shape that the OpenAI clients read', async () => {
  const { status, json } = await send(request('GET /v1/models/%zz HTTP/1.1'));
  expect([status, json.error.code, json.error.type]).toEqual([400, 400, 'BadRequestError']);
});

test('an error before the path is known has the shapes that all clients read', async () => {
  const message = 'The headers of the request have more than 65536 bytes.';
  const { status, json } = await send(request(`GET /v1/preview/models?${'a'.repeat(80_000)} HTTP/1.1`));
  expect([status, json.error.code]).toEqual([431, 431]);
  expect([json.reason, json.detail, json.error.message]).toEqual([message, message, message]);
});

test('many requests at once on one connection are answered in order', async () => {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.on('data', (piece) => (text += piece));
  socket.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(50) + request('GET /version HTTP/1.1'));
  await new Promise((resolve) => socket.once('close', resolve));
  expect(text.match(/"status":"ok"/g)).toHaveLength(50);
  expect(text.lastIndexOf('"status"')).toBeLessThan(text.lastIndexOf('HTTP/1.1 200'));
});

test('connections beyond the limit are told so, and make room as they close', async () => {
  const idle = Array.from({ length: 30 }, open);
  const answers = await Promise.all(
    idle.map(
      (socket) =>
        new Promise<string>((resolve) => {
          let text = '';
          socket.on('data', (piece) => (text += piece));
          socket.on('error', () => {});
          socket.once('close', () => resolve(text));
          setTimeout(() => resolve(text), 1500);
        }),
    ),
  );
  const refused = answers.filter((text) => text.startsWith('HTTP/1.1 429'));
  expect(refused.length).toBeGreaterThanOrEqual(10);
  expect(refused[0]).toContain('HEDDLE_CONNECTIONS_MAX=20');
  expect(refused[0]).toMatch(/Retry-After: 1/);
  for (const socket of idle) socket.destroy();
  await expect.poll(async () => (await send(request('GET /health HTTP/1.1'))).status, { timeout: 10_000 }).toBe(200);
});
