import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { PassThrough } from 'node:stream';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { startTestServer } from '../../api/testing/server.ts';
import { openDrain } from './drain.ts';

const pieceBytes = 64 * 1024;

test('refused bodies are read at a rate that all of them share, each to its end', async () => {
  let rounds = 0;
  const bytesPerRound = 256 * 1024;
  const drain = openDrain({ bytesPerRound, roundMs: 5, onRound: () => rounds++ });
  const app = Fastify();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
  app.addHook('onSend', async ({ raw }) => drain.add(raw));
  app.post('/', async (_, reply) => reply.code(413).send('no'));
  await app.listen({ port: 0 });
  onTestFinished(() => app.close());
  const bodyBytes = 8 * 1024 * 1024;
  const sent = Array.from({ length: 4 }, async () => {
    const socket = connect((app.server.address() as AddressInfo).port);
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${bodyBytes}\r\n\r\n`);
    socket.write(Buffer.alloc(bodyBytes));
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toContain('413');
    await expect.poll(() => socket.writableLength, { timeout: 20_000 }).toBe(0);
    socket.write('GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n');
    const [next] = await once(socket, 'data');
    expect(String(next)).toContain('404');
    socket.destroy();
  });
  await Promise.all(sent);
  // What the sockets of both sides hold is read without waiting; the rest takes a round for each part of the rate.
  expect(rounds).toBeGreaterThan((4 * bodyBytes) / bytesPerRound / 2);
  drain.close();
});

test('refused bodies advance together, so that none arrives too slowly', async () => {
  const drain = openDrain({ bytesPerRound: 128 * 1024, roundMs: 2 });
  const bodyBytes = 8 * 1024 * 1024;
  const bodies = Array.from({ length: 12 }, () => new PassThrough());
  const arrived = bodies.map(() => 0);
  const firstEnds = Promise.race(bodies.map((body) => once(body, 'end')));
  for (const [i, body] of bodies.entries()) {
    body.on('data', ({ length }: Buffer) => {
      arrived[i]! += length;
    });
    body.pause();
    for (let sent = 0; sent < bodyBytes; sent += pieceBytes) body.write(Buffer.alloc(pieceBytes));
    body.end();
    drain.add(body as unknown as IncomingMessage);
  }
  await firstEnds;
  expect(Math.min(...arrived)).toBeGreaterThan(bodyBytes / 2);
  drain.close();
});

test('a body that is refused unread is discarded, and its connection goes on', async () => {
  const server = await startTestServer();
  onTestFinished(() => server.close());
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  const size = 40 * 1024 * 1024; // more than a GraphQL request may have
  socket.write(
    `POST /graphql HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${server.key}\r\nContent-Length: ${size}\r\n\r\n`,
  );
  socket.write(Buffer.alloc(size));
  expect(String((await once(socket, 'data'))[0])).toContain('413');
  await expect.poll(() => socket.writableLength, { timeout: 20_000 }).toBe(0);
  socket.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(String((await once(socket, 'data'))[0])).toContain('200');
});
