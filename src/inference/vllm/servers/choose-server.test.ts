import { expect, test } from 'vitest';
import { type Choosable, chooseServer } from './choose-server.ts';

const server = (address: string, more: Partial<Choosable> = {}): Choosable => ({
  ...{ address, circuitState: 'closed', inFlight: 0, load: 0, waiting: 0 },
  ...more,
});
const keys = Array.from({ length: 300 }, (_, i) => `key ${i}`);
const chosen = (servers: Choosable[], key: string | null) => chooseServer(servers, key)?.address;

test('spreads keys, and moves only those of a server that leaves', () => {
  const [a, b, c] = [server('a'), server('b'), server('c')];
  const before = keys.map((key) => chosen([a, b, c], key));
  for (const name of ['a', 'b', 'c']) expect(before.filter((each) => each === name).length).toBeGreaterThan(60);
  const after = keys.map((key) => chosen([c, a], key));
  expect(keys.filter((_, i) => before[i] !== 'b' && before[i] !== after[i])).toEqual([]);
});

test('without a key, the least busy one is chosen', () => {
  expect(chosen([server('a', { load: 2 }), server('b', { load: 1 }), server('c', { load: 3 })], null)).toBe('b');
});

test('a server with its share of requests keeps its keys', () => {
  const all = [server('a', { load: 7 }), server('b', { load: 0 })];
  expect(new Set(keys.map((key) => chosen(all, key))).size).toBe(2);
});

test('a server with more than its share is passed over', () => {
  expect(new Set(keys.map((key) => chosen([server('a', { load: 20 }), server('b', { load: 4 })], key)))).toEqual(
    new Set(['b']),
  );
});

test('a server at which requests wait is passed over, unless they wait everywhere', () => {
  const waits = { load: 5, waiting: 1 };
  const one = keys.map((key) => chosen([server('a', waits), server('b', { load: 4 })], key));
  expect(new Set(one)).toEqual(new Set(['b']));
  const both = keys.map((key) => chosen([server('a', waits), server('b', waits)], key));
  expect(new Set(both).size).toBe(2);
});

test('an open circuit gets nothing, and a half-open one a request at a time', () => {
  const open = server('a', { circuitState: 'open' });
  expect(chosen([open], 'x')).toBeUndefined();
  const trial = server('b', { circuitState: 'halfOpen' });
  const closed = server('c');
  expect(new Set(keys.map((key) => chosen([open, trial, closed], key)))).toEqual(new Set(['b', 'c']));
  const busy = server('b', { circuitState: 'halfOpen', inFlight: 1, load: 1 });
  expect(new Set(keys.map((key) => chosen([open, busy, closed], key)))).toEqual(new Set(['c']));
  expect(chosen([open, busy], 'x')).toBe('b');
});
