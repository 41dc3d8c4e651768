import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { generousLimits } from '../../src/store/clickhouse/lanes/read-limits.ts';
import { serverClickHouse } from '../../src/store/clickhouse/server/open.ts';
import { parseServerUrl } from '../../src/store/clickhouse/server/server-url.ts';
import { type HeddleProcess, startHeddleProcess, testCommand } from '../../testing/heddle-process.ts';
import { newDataDirectory, runHeddle } from '../harness/heddle.ts';
import { swiftEnvironment } from './environment.ts';
import { type RemoteStores, startRemoteStores } from './remote-stores.ts';
import { s3ClientOf } from './swift-server.ts';

describe.skipIf(!swiftEnvironment.isReady())('processes that share all stores', () => {
  let stores: RemoteStores;
  const ending: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    stores = await startRemoteStores();
  });
  afterEach(async () => {
    await Promise.all(ending.splice(0).map((end) => end()));
  });
  afterAll(() => stores?.close());

  async function start(settings: Record<string, string>): Promise<HeddleProcess & { data: string }> {
    const data = newDataDirectory();
    ending.push(async () => rmSync(data, { recursive: true, force: true }));
    const environment = { PATH: process.env.PATH };
    const own = { HEDDLE_DATA: data, HEDDLE_OWNER: 'ada', ...settings };
    const started = await startHeddleProcess({ settings: own, environment, command: testCommand });
    ending.unshift(async () => {
      started.child.kill('SIGKILL');
      await started.exited;
    });
    return { ...started, data };
  }

  async function ask<Row>(url: string, sql: string): Promise<Row[]> {
    const client = new pg.Client(url);
    await client.connect();
    const { rows } = await client.query(sql);
    await client.end();
    return rows as Row[];
  }

  async function queryTraces<Row>(url: string, sql: string): Promise<Row[]> {
    const address = parseServerUrl(url);
    const { store } = await serverClickHouse({ address, limits: generousLimits, insertsPerSecondMax: 10 });
    try {
      return await store.query<Row>(sql, {});
    } finally {
      await store.close();
    }
  }

  test.each([1, 2])(
    'five that start at once on empty stores make one deployment (round %i)',
    async () => {
      const settings = await stores.newDeployment();
      const started = await Promise.all(Array.from({ length: 5 }, () => start(settings)));

      const owners = await ask(settings.HEDDLE_POSTGRES_URL!, 'SELECT username, is_owner FROM heddle.users');
      expect(owners).toEqual([{ username: 'ada', is_owner: true }]);
      const printed = started.filter(({ output }) => output.out.includes("the owner's API key"));
      expect(printed).toHaveLength(1);
      expect(started.filter(({ output }) => output.out.includes('/sign-in#'))).toEqual(printed);
      const [, key] = /not shown again:\s+(\S+)/.exec(printed[0]!.output.out)!;
      for (const { address } of started) {
        const answer = await fetch(`${address}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
        expect(answer.status).toBe(200);
      }

      const ids = new Set(
        started.map(({ data }) => JSON.parse(readFileSync(join(data, 'kinds.json'), 'utf8')).deployment),
      );
      const [id] = ids;
      expect(ids.size).toBe(1);
      expect(await ask(settings.HEDDLE_POSTGRES_URL!, 'SELECT id FROM heddle.deployment')).toEqual([{ id }]);
      expect(await queryTraces(settings.HEDDLE_CLICKHOUSE_URL!, 'SELECT DISTINCT id FROM deployment')).toEqual([
        { id },
      ]);
      const twice = 'SELECT number FROM schema_migrations GROUP BY number HAVING count() > 1';
      expect(await queryTraces(settings.HEDDLE_CLICKHOUSE_URL!, twice)).toEqual([]);
      const client = s3ClientOf(stores.bucket);
      const prefix = new URL(settings.HEDDLE_BLOBS_URL!).pathname.slice(1);
      const object = await client.send(new GetObjectCommand({ Bucket: 'heddle', Key: `${prefix}/heddle-deployment` }));
      expect(await object.Body!.transformToString()).toBe(id);
      client.destroy();

      const live = 'SELECT count(*)::int AS count FROM heddle.processes WHERE expires_at > now()';
      expect(await ask(settings.HEDDLE_POSTGRES_URL!, live)).toEqual([{ count: 5 }]);
      for (const { output } of started) expect(output.err).not.toMatch(/"level":[456]0/);
      for (const { child } of started) child.kill('SIGTERM');
      for (const { exited } of started) expect(await exited).toEqual({ code: 0, signal: null });
      expect(await ask(settings.HEDDLE_POSTGRES_URL!, live)).toEqual([{ count: 0 }]);
    },
    120_000,
  );

  test('a process with a store of its own runs neither beside those that share theirs, nor they beside it', async () => {
    const settings = await stores.newDeployment();
    const { HEDDLE_CLICKHOUSE_URL: _, ...alone } = settings;
    const first = await start(settings);
    const refused = await runHeddle(newDataDirectory(), ['serve'], alone);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('Other heddle processes share the schema') });
    expect(refused.err).toContain('HEDDLE_CLICKHOUSE_URL');
    first.child.kill('SIGTERM');
    await first.exited;

    const fresh = await stores.newDeployment();
    const { HEDDLE_BLOBS_URL: __, ...withOwnFiles } = fresh;
    await start(withOwnFiles);
    const other = await runHeddle(newDataDirectory(), ['serve'], fresh);
    expect(other).toMatchObject({ code: 1, err: expect.stringContaining('uses the schema heddle alone') });
  }, 120_000);

  test('the key of secrets is required', async () => {
    const settings = { ...(await stores.newDeployment()), HEDDLE_SECRET_KEY: '' };
    const refused = await runHeddle(newDataDirectory(), ['serve'], settings);
    expect(refused.code).not.toBe(0);
    expect(refused.err).toMatch(/HEDDLE_SECRET_KEY is not set.*openssl rand -hex 32/);
  });

  test('a process with another key of secrets is refused, and starts with the key of the others', async () => {
    const settings = await stores.newDeployment();
    await start(settings);
    const key = 'another key'.padEnd(64, '1');
    const refused = await runHeddle(newDataDirectory(), ['serve'], { ...settings, HEDDLE_SECRET_KEY: key });
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('HEDDLE_SECRET_KEY differs from the key') });
    expect(refused.out + refused.err).not.toContain(key);
    await start(settings);
  }, 120_000);

  test('the doctor says that it has another key of secrets than the deployment', async () => {
    const settings = await stores.newDeployment();
    const [, ended] = [await start(settings), await start(settings)];
    ended.child.kill('SIGTERM');
    await ended.exited;
    const examine = (HEDDLE_SECRET_KEY: string) =>
      runHeddle(ended.data, ['doctor'], { ...settings, HEDDLE_SECRET_KEY });

    const key = 'another key'.padEnd(64, '1');
    const { code, out, err } = await examine(key);
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(out).toMatch(
      /✗ Settings +HEDDLE_SECRET_KEY differs from the key of this deployment. Set it to the value that/,
    );
    expect(out).not.toContain(key);
    expect(await examine('')).toMatchObject({
      code: 1,
      out: expect.stringMatching(/✗ Settings +HEDDLE_SECRET_KEY is not set/),
    });
    expect(await examine(settings.HEDDLE_SECRET_KEY!)).toMatchObject({
      code: 0,
      out: expect.stringContaining('No problems found.'),
    });
  }, 120_000);
});
