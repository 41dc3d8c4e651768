import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { EventStream, sendEvents } from './send-events.ts';

test('164 who reads nothing is cut off, and the making of frames ended', async () => {
  const app = Fastify();
  const ended = Promise.withResolvers<void>();
  let made = 0;
  async function* frames() {
    try {
      for (; ; made++) yield `data: ${'x'.repeat(100_000)}\n\n`;
    } finally {
      ended.resolve();
    }
  }
  app.get('/', (_, reply) => sendEvents(reply, new EventStream(frames()), { unreadMaxMs: 200 }));
  await app.listen({ port: 0 });
  const client = connect((app.server.address() as AddressInfo).port);
  client.pause().write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
  await ended.promise;
  expect(made).toBeLessThan(1_000); // no more than the buffers of the system hold
  client.resume().on('error', () => {});
  await once(client, 'close');
  await app.close();
});
