import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Caller } from '../../identity/identity.ts';
import type { WatchedStore } from '../../store/opened-store.ts';
import { openAlone } from '../../store/peers/alone.ts';
import type { Peers } from '../../store/peers/peers.ts';
import { openStoreHealth, type StoreProblem } from '../../store/store-health.ts';
import { storeStates } from '../../store/store-states.ts';
import { startTestServer, type TestServer } from '../testing/server.ts';
import { readiness } from './readiness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

test('GET /health/ready is 200 while the stores answer', async () => {
  const { status, json } = await server.get('/health/ready', { key: null });
  expect([status, json]).toEqual([
    200,
    {
      status: 'ready',
      stores: [
        { name: 'ClickHouse', kind: 'embedded', is_up: true },
        { name: 'PostgreSQL', kind: 'embedded', is_up: true },
        { name: 'Files', kind: 'directory', is_up: true },
      ],
    },
  ]);
});

test.each(['/health/ready', '/server_info'])(
  'GET %s has the figures of the stores for callers with a key',
  async (path) => {
    await server.get('/v1/system-check', { key: null }); // measures
    const { stores } = (await server.get(path)).json;
    const figures = {
      latency_seconds: expect.any(Number),
      free_bytes: expect.any(Number),
      used_bytes: null,
      address: null,
    };
    expect(stores).toEqual([
      { name: 'ClickHouse', kind: 'embedded', is_up: true, version: expect.stringMatching(/^\d+\.\d+/), ...figures },
      { name: 'PostgreSQL', kind: 'embedded', is_up: true, version: expect.stringMatching(/^\d+\.\d+/), ...figures },
      { name: 'Files', kind: 'directory', is_up: true, version: null, ...figures },
    ]);
  },
);

test('an unknown key counts as none', async () => {
  const key = 'x'.repeat(48);
  for (const path of ['/health/ready', '/server_info']) {
    const { status, json } = await server.get(path, { key });
    expect([status, json.stores[0]]).toEqual([200, { name: 'ClickHouse', kind: 'embedded', is_up: true }]);
  }
});

const store = (name: WatchedStore['name']): WatchedStore => ({
  ...{ name, kind: 'server', address: 'db.internal:5432/app', whenSilent: 'wait', probe: async () => {} },
  figures: () => ({ version: '17.5', latencySeconds: 0.002, freeBytes: null, usedBytes: 7 }),
});

/** The handler, and how it answers a caller while PostgreSQL is away. */
function withBroken() {
  const broken = async () => {
    throw new Error('connect ECONNREFUSED db.internal:5432');
  };
  const health = openStoreHealth({ ClickHouse: async () => {}, PostgreSQL: broken }, { tickMs: 2, onChange: () => {} });
  return {
    health,
    async answer(
      authenticate: () => Promise<Caller | null>,
      draining = new AbortController().signal,
      peers: Peers = openAlone(),
    ) {
      const stores = [store('ClickHouse'), store('PostgreSQL')];
      const context = {
        ...{ health, draining, peers },
        storeStates: (problems: StoreProblem[]) => storeStates(stores, problems),
        identity: { authenticate } as never,
      };
      const raw = { headers: { authorization: 'Bearer key' } };
      return readiness(context)({ raw } as never).catch((error) => error);
    },
  };
}

const callerOf = (isOwner: boolean) => async () => ({ isOwner }) as Caller;
const figures = { version: '17.5', latency_seconds: 0.002, free_bytes: null, used_bytes: 7 };
const address = 'db.internal:5432/app';

test.each([
  ['without a key', async () => null, 'PostgreSQL fails', {}],
  ['with a key', callerOf(false), 'PostgreSQL fails', figures],
  [
    "with the owner's key",
    callerOf(true),
    'PostgreSQL fails: connect ECONNREFUSED db.internal:5432',
    { ...figures, address },
  ],
])('a store that fails is a 503 that names it: %s', async (_name, authenticate, reason, shown) => {
  const { health, answer } = withBroken();
  try {
    await vi.waitFor(() => expect(health.problems()).toHaveLength(1));
    const { status, body } = await answer(authenticate);
    expect([status, body]).toEqual([
      503,
      {
        ...{ reason, status: 'failing' },
        stores: [
          { name: 'ClickHouse', kind: 'server', is_up: true, ...shown },
          { name: 'PostgreSQL', kind: 'server', is_up: false, ...shown },
        ],
      },
    ]);
  } finally {
    health.close();
  }
});

test('it answers while the store of keys does not', async () => {
  const { health, answer } = withBroken();
  try {
    await vi.waitFor(() => expect(health.problems()).toHaveLength(1));
    for (const authenticate of [() => new Promise<never>(() => {}), () => Promise.reject(new Error('away'))]) {
      expect(await answer(authenticate)).toMatchObject({ status: 503, body: { reason: 'PostgreSQL fails' } });
    }
  } finally {
    health.close();
  }
});

test('a process that was asked to end is not ready, whatever its stores say', async () => {
  const { health, answer } = withBroken();
  try {
    const stopping = { status: 503, body: { status: 'draining', reason: 'The server is stopping.' } };
    expect(await answer(async () => null, AbortSignal.abort())).toMatchObject(stopping);
    await vi.waitFor(() => expect(health.problems()).toHaveLength(1));
    expect(await answer(async () => null, AbortSignal.abort())).toMatchObject(stopping);
  } finally {
    health.close();
  }
});

test('a process whose lease has ended is not ready', async () => {
  const { health, answer } = withBroken();
  health.close(); // before it notices a problem
  const lapsed = { ...openAlone(), isUpToDate: () => false };
  const draining = new AbortController().signal;
  expect(await answer(async () => null, draining)).toMatchObject({ status: 'ready' });
  const body = { status: 'failing', reason: 'The lease of this process has ended.' };
  expect(await answer(async () => null, draining, lapsed)).toMatchObject({ status: 503, body });
});
