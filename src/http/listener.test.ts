import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createListener, type Listener } from './listener.ts';
import { WaitingRoom } from './waiting-room.ts';

const options = { host: '127.0.0.1', port: 0, keepAliveSeconds: 60, bodySecondsMax: 60, connectionsMax: 100 };
const answered: RequestListener = (request, response) => response.end(`answered ${request.url}`);

let listener: Listener;
afterEach(() => listener.close());

async function open(more: Partial<typeof options> = {}, draining = new AbortController().signal): Promise<string> {
  listener = createListener({ ...options, ...more }, draining);
  await listener.open();
  return `http://127.0.0.1:${listener.address().port}`;
}

async function get(url: string) {
  const answer = await fetch(url);
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
}

test('before there is a handler, probes are answered and other requests wait', async () => {
  const url = await open();
  const waiting = [get(`${url}/a`), get(`${url}/b`)];
  for (const prefix of ['', '/traces']) {
    expect(await get(`${url}${prefix}/health`)).toMatchObject({ status: 200, text: '{"status":"ok"}' });
    const { status, text } = await get(`${url}${prefix}/health/ready?a=1`);
    const reason = expect.stringContaining('The server is starting');
    expect([status, JSON.parse(text)]).toEqual([503, { reason, status: 'starting', stores: [] }]);
  }
  listener.serve(answered);
  expect(await Promise.all(waiting)).toMatchObject([{ text: 'answered /a' }, { text: 'answered /b' }]);
  expect(await get(`${url}/health`)).toMatchObject({ text: 'answered /health' });
});

test('a request that has waited too long gets 503 with Retry-After, in the error format of its endpoint', async () => {
  const url = await open();
  listener.serve(new WaitingRoom({ msMax: 1 }).handle);
  const { status, text, headers } = await get(`${url}/v1/models`);
  expect([status, headers.get('retry-after')]).toEqual([503, '1']);
  expect(JSON.parse(text).error).toMatchObject({ code: 503, message: expect.stringContaining('is starting') });
});

test('localhost is reached over IPv4 and IPv6', async ({ skip }) => {
  const addresses = (await lookup('localhost', { all: true })).map(({ address }) => address);
  if (addresses.length < 2) skip('this machine has one address for localhost');
  await open({ host: 'localhost' });
  listener.serve(answered);
  const { port } = listener.address();
  for (const address of addresses) {
    const host = address.includes(':') ? `[${address}]` : address;
    expect(await get(`http://${host}:${port}/a`)).toMatchObject({ text: 'answered /a' });
  }
});

test('a port that is taken is an error of listening', async () => {
  await open();
  const other = createListener({ ...options, port: listener.address().port }, new AbortController().signal);
  await expect(other.open()).rejects.toMatchObject({ code: 'EADDRINUSE', syscall: 'listen' });
  await other.close();
});

test('once it drains, each response closes its connection, and those under way are waited for', async () => {
  const draining = new AbortController();
  const url = await open({}, draining.signal);
  const held: ServerResponse[] = [];
  listener.serve((request, response) => (request.url === '/held' ? held.push(response) : response.end()));
  expect((await get(url)).headers.get('connection')).toBe('keep-alive');
  const under = get(`${url}/held`);
  await expect.poll(() => held).toHaveLength(1);
  draining.abort();
  expect((await get(url)).headers.get('connection')).toBe('close');
  let isDrained = false;
  const drained = listener.drain().then(() => {
    isDrained = true;
  });
  await expect(get(url)).rejects.toThrow('fetch failed');
  expect(isDrained).toBe(false);
  held[0]!.end('late');
  const { text, headers } = await under;
  expect([text, headers.get('connection')]).toEqual(['late', 'close']);
  await drained;
});

test('closing waits for no connection on which nothing was asked, and ends what is under way', async () => {
  const url = await open();
  let isAsked = false;
  listener.serve(() => {
    isAsked = true;
  });
  const silent = connect(listener.address().port, '127.0.0.1');
  const never = get(url).catch(() => 'cut');
  await expect.poll(() => isAsked).toBe(true);
  await Promise.all([listener.close(), once(silent, 'close')]);
  expect(await never).toBe('cut');
});
