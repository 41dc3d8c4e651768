import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { countRead, stopCounting } from './read-budget.ts';

const piece = Buffer.alloc(64 * 1024);

function openBody(): IncomingMessage {
  const body = new Readable({ read() {} });
  body.resume();
  return body as IncomingMessage;
}

/** As in one round of the event loop. */
function read(body: IncomingMessage, pieces: number): void {
  for (let i = 0; i < pieces; i++) countRead(body, piece);
}

test('bodies are paused for the rest of a round that has read a megabyte', async () => {
  await setImmediate();
  const [first, second] = [openBody(), openBody()];
  read(first, 15);
  expect(first.isPaused()).toBe(false);
  read(second, 1);
  expect([first.isPaused(), second.isPaused()]).toEqual([false, true]);
  read(first, 1);
  expect(first.isPaused()).toBe(true);
  await setImmediate();
  expect([first.isPaused(), second.isPaused()]).toEqual([false, false]);
});

test('many bodies go on a few in each round, in order', async () => {
  await setImmediate();
  read(openBody(), 16);
  const bodies = Array.from({ length: 20 }, openBody);
  for (const body of bodies) read(body, 1);
  const pausedAfter: number[] = [];
  while (bodies.some((body) => body.isPaused())) {
    await setImmediate();
    pausedAfter.push(bodies.findIndex((body) => body.isPaused()));
  }
  expect(pausedAfter).toEqual([7, 15, -1]);
});

test('a body that is complete or refused is not resumed', async () => {
  await setImmediate();
  const body = openBody();
  read(body, 16);
  stopCounting(body);
  await setImmediate();
  expect(body.isPaused()).toBe(true);
});
