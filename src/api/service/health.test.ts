import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openStoreHealth } from '../../store/store-health.ts';
import { startTestServer, type TestServer } from '../testing/server.ts';
import { health as healthHandler } from './health.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

test.each(['/health', '/health?ready', '/health?ready=true'])('GET %s is 200 while the stores answer', async (path) => {
  expect(await server.get(path, { key: null })).toMatchObject({ status: 200, json: { status: 'ok' } });
});

test('a store that fails makes it a 503 that names the store, from what is known and when asked anew', async () => {
  const broken = async () => {
    throw new Error('connection lost');
  };
  const health = openStoreHealth({ ClickHouse: broken, PostgreSQL: async () => {} }, { tickMs: 2, onChange: () => {} });
  try {
    await vi.waitFor(() => expect(health.problems()).toHaveLength(1));
    for (const query of [{}, { ready: '' }]) {
      await expect(healthHandler({ health })({ query } as never)).rejects.toMatchObject({
        status: 503,
        body: { reason: 'ClickHouse fails: connection lost', status: 'failing' },
      });
    }
  } finally {
    health.close();
  }
});
