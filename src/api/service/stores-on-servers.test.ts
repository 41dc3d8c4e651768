import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { askRunning } from '../../admin/client.ts';
import { readConfig } from '../../config.ts';
import { type Front, startFront } from '../../store/clickhouse/server/testing/start-front.ts';
import {
  type TestServer as Postgres,
  startTestServer as startPostgres,
} from '../../store/postgres/testing/postgres-server.ts';
import { startTestServer, type TestServer } from '../testing/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-front-'));
let front: Front;
let postgres: Postgres;
let server: TestServer;
beforeAll(async () => {
  [front, postgres] = await Promise.all([startFront(folder), startPostgres()]);
  const url = (await postgres.createDatabase()).replace('heddle@', 'heddle:hidden@');
  vi.stubEnv('HEDDLE_TEST_CLICKHOUSE_URL', front.url('figures'));
  vi.stubEnv('HEDDLE_TEST_POSTGRES_URL', url);
  server = await startTestServer();
});
afterAll(async () => {
  await server.close();
  await Promise.all([front.kill(), postgres.close()]);
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const memberKey = async () => {
  const config = readConfig({ data: server.data }, {});
  await askRunning(config, 'users.create', { name: 'member' });
  return (await askRunning(config, 'keys.create', { user: 'member' }))!.answer.key;
};

test('names the servers to the owner only, and a password to nobody', async () => {
  const answers = {
    open: { key: null },
    member: { key: await memberKey() },
    owner: {},
  };
  for (const [who, options] of Object.entries(answers)) {
    for (const path of ['/health', '/health/ready', '/server_info', '/metrics', '/service/doctor']) {
      const { text } = await server.get(path, options);
      expect(text).not.toMatch(/hidden|secret word|secret%20word/);
      if (who !== 'owner' || path === '/metrics') expect(text).not.toMatch(/127\.0\.0\.1/);
    }
  }
});

test.each(['/health/ready', '/server_info', '/service/doctor'])('%s has what is known of each server', async (path) => {
  await server.post('/calls/query_stats', { project_id: await server.newProject() });
  const version = expect.stringMatching(/^\d+\.\d+/);
  const { stores } = (await server.get(path)).json;
  expect(stores).toEqual([
    {
      ...{ name: 'ClickHouse', kind: 'server', is_up: true, version, used_bytes: null },
      ...{ latency_seconds: expect.any(Number), free_bytes: expect.any(Number) },
      address: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/data_/),
    },
    {
      ...{ name: 'PostgreSQL', kind: 'server', is_up: true, version, free_bytes: null },
      ...{ latency_seconds: expect.any(Number), used_bytes: expect.any(Number) },
      address: expect.stringMatching(/^127\.0\.0\.1:\d+\//),
    },
    expect.objectContaining({ name: 'Files', kind: 'directory', version: null, address: null }),
  ]);
});

test('the metrics have no number for what is unknown', async () => {
  const { text } = await server.get('/metrics');
  expect(text).toMatch(/^heddle_store_latency_seconds\{store="PostgreSQL"\} [\d.e-]+$/m);
  expect(text).toMatch(/^heddle_store_used_bytes\{store="PostgreSQL"\} \d+$/m);
  expect(text).not.toMatch(/^heddle_store_free_bytes\{store="PostgreSQL"\}/m);
  expect(text).not.toMatch(/^heddle_store_used_bytes\{store="(ClickHouse|Files)"\}/m);
});

test('reading them sends no statement to ClickHouse', async () => {
  const { statements } = await front.counts();
  for (const path of ['/health', '/health/ready', '/server_info', '/metrics']) await server.get(path);
  expect((await front.counts()).statements).toBe(statements);
});

test('an examination that finds a server away shows its store as down', async () => {
  await front.kill();
  const { findings, stores } = (await server.get('/service/doctor')).json;
  expect(findings).toContainEqual(expect.objectContaining({ what: 'ClickHouse', state: 'wrong' }));
  expect(stores[0]).toMatchObject({ name: 'ClickHouse', is_up: false });
  await front.start();
});
