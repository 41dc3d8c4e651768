import type { lookup } from 'node:dns';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type StubProvider, startStubProvider } from './testing/stub-provider.ts';
import { openTransport, type Transport, type TransportOptions } from './transport.ts';

let stub: StubProvider;
let transport: Transport;
beforeAll(async () => {
  stub = await startStubProvider();
});
beforeEach(() => {
  transport = open({ privateHosts: stub.host });
  stub.received.length = 0;
  stub.answers.length = 0;
});
afterEach(() => transport.close());
afterAll(() => stub.close());

const backoff = { attemptsMax: 3, firstMs: 1, waitMsMax: 1000 };
const open = (options: Partial<TransportOptions>) =>
  openTransport({ privateHosts: '', timeoutMsMax: 5_000, bytesMax: 10_000, backoff, ...options });

const post = (of: Transport, { url = `${stub.url}/chat/completions`, ...more } = {}) =>
  of.post({ url, headers: {}, body: '{}', signal: new AbortController().signal, secrets: [], ...more });

async function failure(attempt: Promise<unknown>) {
  const error = await attempt.then(
    () => null,
    (thrown) => thrown,
  );
  return { kind: error?.kind, message: error?.message };
}

/** A name server that gives these addresses for every name. */
const resolvesTo = (...addresses: string[]) =>
  ((_name: string, _options: object, done: (error: null, found: object[]) => void) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )) as unknown as typeof lookup;

describe('addresses', () => {
  test.each([
    'http://127.0.0.1:1/',
    'http://[::1]:1/',
    'http://10.0.0.1/',
    'http://169.254.169.254/',
    'http://2130706433/',
  ])('rejects the private address %s [evaluations 150]', async (url) => {
    const strict = open({});
    expect(await failure(post(strict, { url }))).toMatchObject({ kind: 'forbidden' });
    await strict.close();
  });

  test.each([[['127.0.0.1']], [['::1']], [['93.184.216.34', '10.0.0.1']], [['::ffff:127.0.0.1']]])(
    'refuses a name that resolves to %j, and sends nothing',
    async (addresses) => {
      const strict = open({ resolve: resolvesTo(...addresses) });
      const port = stub.host.split(':')[1];
      const refused = await failure(post(strict, { url: `http://api.example.com:${port}/v1` }));
      expect(refused).toEqual({
        kind: 'forbidden',
        message: 'api.example.com is a private address. To allow requests to it, list it in HEDDLE_PROVIDER_HOSTS.',
      });
      expect(stub.received).toEqual([]);
      await strict.close();
    },
  );

  test('allows a private host only on the listed port', async () => {
    const other = open({ privateHosts: '127.0.0.1:9' });
    expect(await failure(post(other))).toMatchObject({ kind: 'forbidden' });
    await other.close();
    expect(JSON.parse(await post(transport))).toMatchObject({ id: 'chatcmpl-stub' });
  });

  test('allows a listed host that resolves to a private address', async () => {
    const port = stub.host.split(':')[1];
    const named = open({ privateHosts: `localhost:${port}` });
    expect(JSON.parse(await post(named, { url: `http://localhost:${port}/v1` }))).toMatchObject({
      id: 'chatcmpl-stub',
    });
    await named.close();
  });

  test('does not follow a redirect of a request with a key', async () => {
    stub.answers.push({ status: 307, json: {}, headers: { location: 'http://127.0.0.1:9/' } });
    expect(await failure(post(transport))).toMatchObject({
      kind: 'unacceptable',
      message: expect.stringMatching(/redirect to http:\/\/127/),
    });
  });

  describe('downloads', () => {
    const signal = new AbortController().signal;
    const picture = () => stub.url.replace('/v1', '/picture');
    const download = (url: string, providerUrl: string) => transport.download(url, { providerUrl, signal });

    test("come from the provider's own host", async () => {
      stub.answers.push((_request, response) => response.end('bytes'));
      expect(String(await download(picture(), stub.url))).toBe('bytes');
    });

    test('do not come from a named private host that another provider points to', async () => {
      expect(await failure(download(picture(), 'https://api.example.com/v1'))).toMatchObject({ kind: 'forbidden' });
      expect(stub.received).toEqual([]);
    });

    test('do not follow a redirect within a private network', async () => {
      stub.answers.push({ status: 302, json: {}, headers: { location: 'http://127.0.0.1:9/' } });
      expect(await failure(download(picture(), stub.url))).toMatchObject({
        kind: 'unavailable',
        message: expect.stringMatching(/answered 302 instead of the file/),
      });
    });

    test.each([['127.0.0.1'], ['fd00::1']])('do not come from a name that resolves to %s', async (address) => {
      const strict = open({ resolve: resolvesTo(address) });
      const refused = strict.download('https://img.example.com/', { providerUrl: 'https://api.example.com', signal });
      expect(await failure(refused)).toMatchObject({ kind: 'forbidden' });
      await strict.close();
    });
  });
});

describe('failures', () => {
  test('repeats a request that was answered with 429 or 5xx', async () => {
    stub.answers.push({ status: 429, json: {}, headers: { 'retry-after-ms': '1' } }, { status: 503, json: {} });
    expect(JSON.parse(await post(transport))).toMatchObject({ id: 'chatcmpl-stub' });
    expect(stub.received).toHaveLength(3);
  });

  test("waits for the provider's retry-after time", async () => {
    stub.answers.push({ status: 429, json: {}, headers: { 'retry-after': '0.3' } });
    const startedAt = performance.now();
    await post(transport);
    expect(performance.now() - startedAt).toBeGreaterThan(290);
  });

  test("fails after the last attempt with the provider's error", async () => {
    for (let i = 0; i < 3; i++) stub.answers.push({ status: 429, json: { error: { message: 'Slow down' } } });
    expect(await failure(post(transport))).toEqual({ kind: 'busy', message: `${stub.host} answered 429: Slow down` });
    expect(stub.received).toHaveLength(3);
  });

  test('does not wait longer than the time limit allows', async () => {
    stub.answers.push({ status: 503, json: {}, headers: { 'retry-after': '900' } });
    expect(await failure(post(transport))).toMatchObject({ kind: 'unavailable' });
    expect(stub.received).toHaveLength(1);
  });

  test('does not repeat a refused request, nor the key that the refusal quotes', async () => {
    stub.answers.push({ status: 401, json: { error: { message: 'Incorrect key sk-123' } } });
    const refused = await failure(post(transport, { secrets: ['sk-123'] } as never));
    expect(refused).toEqual({ kind: 'unacceptable', message: `${stub.host} answered 401: Incorrect key REDACTED` });
    expect(stub.received).toHaveLength(1);
  });

  test('ends a request that takes too long', async () => {
    const hasty = open({ privateHosts: stub.host, timeoutMsMax: 100 });
    stub.answers.push(() => {});
    expect(await failure(post(hasty))).toEqual({
      kind: 'unavailable',
      message: `${stub.host} did not respond within 0.1 s.`,
    });
    await hasty.close();
  });

  test('ends a request whose client has left', async () => {
    const gone = new AbortController();
    stub.answers.push(() => gone.abort());
    expect(await failure(post(transport, { signal: gone.signal } as never))).toMatchObject({ kind: 'canceled' });
  });

  test('a server that stops ends what providers are still answering', async () => {
    const closing = open({ privateHosts: stub.host });
    stub.answers.push(() => void closing.close());
    expect(await failure(post(closing))).toEqual({ kind: 'unavailable', message: 'The server is stopping.' });
    stub.answers.push((_request, response) => void response.writeHead(200).write('data: '));
    const streaming = open({ privateHosts: stub.host });
    const sent = {
      url: `${stub.url}/chat`,
      headers: {},
      body: '{}',
      signal: new AbortController().signal,
      secrets: [],
    };
    const pieces = await streaming.stream(sent);
    await streaming.close();
    expect(await failure(Array.fromAsync(pieces))).toMatchObject({ message: 'The server is stopping.' });
  });

  test('a stream can be canceled before it is read', async () => {
    const gone = new AbortController();
    stub.answers.push((_request, response) => void response.writeHead(200).write('data: '));
    const sent = { url: `${stub.url}/chat`, headers: {}, body: '{}', signal: gone.signal, secrets: [] };
    const pieces = await transport.stream(sent);
    gone.abort();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await failure(Array.fromAsync(pieces))).toMatchObject({ kind: 'canceled' });
  });

  test('rejects a response that is too long', async () => {
    stub.answers.push({ json: 'x'.repeat(20_000) });
    expect(await failure(post(transport))).toMatchObject({
      kind: 'tooLarge',
      message: expect.stringMatching(/more than 10000 bytes \(HEDDLE_PROVIDER_MAX_BYTES\)/),
    });
  });

  test('reports an unreachable host', async () => {
    const url = 'http://127.0.0.1:9/v1';
    const lone = open({ privateHosts: '127.0.0.1:9' });
    expect(await failure(post(lone, { url }))).toEqual({
      kind: 'unavailable',
      message: '127.0.0.1:9 cannot be reached or closed the connection (ECONNREFUSED).',
    });
    await lone.close();
  });
});
