import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { sendJson, sendLines } from './send.ts';

test('an answer that nobody reads is cut off, and its making ended', async () => {
  const app = Fastify();
  const ended = Promise.withResolvers<void>();
  async function* lines() {
    try {
      for (;;) yield `${'x'.repeat(100_000)}\n`;
    } finally {
      ended.resolve();
    }
  }
  app.get('/', (_, reply) => sendLines(reply, 'application/jsonl', lines(), { unreadMaxMs: 200 }));
  await app.listen({ port: 0 });
  const client = connect((app.server.address() as AddressInfo).port);
  client.pause().write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
  await ended.promise;
  client.resume().on('error', () => {});
  await once(client, 'close');
  await app.close();
});

test('an answer whose making takes long is not cut off while the client reads', async () => {
  const app = Fastify();
  const goOn = Promise.withResolvers<void>();
  async function* lines() {
    yield '1\n';
    await goOn.promise;
    yield '2\n';
  }
  let checks = 0;
  app.get('/', (_, reply) => {
    reply.raw.on('timeout', () => ++checks === 3 && goOn.resolve());
    return sendLines(reply, 'application/jsonl', lines(), { unreadMaxMs: 20 });
  });
  const address = await app.listen({ port: 0 });
  expect(await (await fetch(address)).text()).toBe('1\n2\n');
  await app.close();
});

test('a large answer in JSON is what it is in one piece', async () => {
  const app = Fastify();
  const body = {
    rows: Array.from({ length: 50_000 }, (_, i) => ({ i, text: '😀é"\n', none: undefined })),
    long: '😀'.repeat(900_000),
  };
  app.get('/', (_, reply) => sendJson(reply, 200, body));
  const address = await app.listen({ port: 0 });
  expect(await (await fetch(address)).text()).toBe(JSON.stringify(body));
  await app.close();
});
