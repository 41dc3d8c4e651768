import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeLog } from '../../log.ts';
import { openUpstream } from './upstream.ts';

let server: Server;
let base: string;
let asked: string[];
let answer: (response: ServerResponse) => void;
let warnings: number;
const log = makeLog('warn', { write: () => warnings++ });
const at = (catalogueUrl: string) => ({ config: { catalogueUrl }, log });

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url!);
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/base/`;
});
beforeEach(() => {
  asked = [];
  warnings = 0;
  answer = (response) => response.end('{"data":[{"id":"a"},null,3]}');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test('a list is asked for once in some minutes, by however many', async () => {
  let now = 0;
  const { entries } = openUpstream(at(base), () => now);
  const lists = await Promise.all(Array.from({ length: 5 }, () => entries('/list?model=x')));
  expect(lists).toEqual(Array.from({ length: 5 }, () => [{ id: 'a' }]));
  now += 4 * 60_000;
  await entries('/list?model=x');
  expect(asked).toEqual(['/base/list?model=x']);
  answer = (response) => response.end('{"hardware":[{"id":"b"}]}');
  now += 2 * 60_000;
  expect(await entries('/list?model=x')).toEqual([{ id: 'b' }]);
  expect(asked).toHaveLength(2);
});

test('while the upstream fails, its last list stays, and it is asked once in a minute', async () => {
  let now = 0;
  const { entries } = openUpstream(at(base), () => now);
  await entries('/list');
  for (const fail of [
    (response: ServerResponse) => response.writeHead(500).end('[]'),
    (response: ServerResponse) => response.end('no JSON'),
    (response: ServerResponse) => response.end('{"other":[]}'),
    (response: ServerResponse) => response.destroy(),
    (response: ServerResponse) => response.end(`["${'x'.repeat(9 * 1024 * 1024)}"]`),
  ]) {
    answer = fail;
    now += 6 * 60_000;
    expect(await entries('/list')).toEqual([{ id: 'a' }]);
    expect(await entries('/list')).toEqual([{ id: 'a' }]);
  }
  expect([asked.length, warnings]).toEqual([6, 5]);
  answer = (response) => response.end('[{"id":"c"}]');
  now += 61_000;
  expect(await entries('/list')).toEqual([{ id: 'c' }]);
});

test('one that was never there has no entries', async () => {
  answer = (response) => response.writeHead(404).end();
  expect(await openUpstream(at(base)).entries('/list')).toEqual([]);
  expect(await openUpstream(at('')).entries('/list')).toEqual([]);
});
