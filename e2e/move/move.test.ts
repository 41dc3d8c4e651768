import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endpoints } from '../../src/contract/endpoints.ts';
import { type Front, startFront } from '../../src/store/clickhouse/server/testing/start-front.ts';
import { startTestServer, type TestServer } from '../../src/store/postgres/testing/postgres-server.ts';
import { freePorts } from '../../src/util/testing/free-ports.ts';
import { type Heddle, newDataDirectory, runHeddle, startHeddle } from '../harness/heddle.ts';
import { testDataDirectory } from '../harness/heddle-for-file.ts';
import { openClient } from '../kills/client.ts';
import { swiftEnvironment } from '../stores/environment.ts';
import { type S3Server, startSwift } from '../stores/swift-server.ts';
import { fill, type Ids } from './fill.ts';
import { readEndpoints } from './read-endpoints.ts';
import { readRuns } from './read-runs.ts';

const routes = endpoints.map(({ method, path }) => ({ method, path, key: `${method} ${path}` }));

test('each endpoint is compared, or is listed with the reason why not', () => {
  const keys = routes.map(({ key }) => key);
  expect(keys.filter((key) => !(key in readEndpoints))).toEqual([]);
  expect(Object.keys(readEndpoints).filter((key) => !keys.includes(key))).toEqual([]);
});

describe.skipIf(!swiftEnvironment.isReady())('heddle move', () => {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-front-'));
  const directories = [folder];
  let front: Front;
  let postgres: TestServer;
  let swift: S3Server;
  let port: string;

  beforeAll(async () => {
    [front, postgres, swift] = await Promise.all([startFront(folder), startTestServer(), startSwift('heddle')]);
    port = String((await freePorts(1))[0]); // the same for all, because addresses are in answers
  });
  afterAll(async () => {
    await Promise.all(started.map((each) => each.end('SIGKILL')));
    await Promise.all([front?.kill(), postgres?.close(), swift?.stop()]);
    for (const each of directories) rmSync(each, { recursive: true, force: true });
  });

  const newDirectory = (make = testDataDirectory) => {
    const data = make();
    directories.push(data);
    return data;
  };
  const started: Heddle[] = [];
  const start = async (data: string, settings: Record<string, string> = {}) => {
    const heddle = await startHeddle(data, { HEDDLE_PORT: port, ...settings });
    started.push(heddle);
    return heddle;
  };
  const stop = async (heddle: Heddle) => expect(await heddle.end('SIGTERM')).toMatchObject({ code: 0 });

  async function newServers(name: string): Promise<Record<string, string>> {
    return {
      HEDDLE_CLICKHOUSE_URL: front.url(name),
      HEDDLE_POSTGRES_URL: await postgres.createDatabase(),
      HEDDLE_BLOBS_URL: `s3://heddle/${name}?endpoint=${swift.endpoint}`,
      ...swift.credentials,
    };
  }

  async function answers(heddle: Heddle, ids: Ids): Promise<Record<string, unknown>> {
    const found: Record<string, unknown> = {};
    for (const { method, path, key } of routes) {
      const made = readEndpoints[key];
      if (typeof made !== 'function') continue;
      for (const request of [made(ids)].flat()) {
        const to = request.path ?? path;
        const { status, text } = await (method === 'GET' ? heddle.get(to) : heddle.post(to, request.body));
        found[`${method} ${to} ${JSON.stringify(request.body ?? '')}`] = `${status} ${text}`;
      }
    }
    return { ...found, ...(await readRuns(heddle)) };
  }

  test('there and back leaves the answers of every read endpoint byte for byte equal', async () => {
    const first = newDirectory();
    const embedded = await start(first);
    const { ids, ledger } = await fill(embedded, first);
    const before = await answers(embedded, ids);
    const refused = Object.entries(before).filter(([, answer]) => /^[345]\d\d /.test(String(answer)));
    expect(refused).toEqual([['GET /v1/models/none ""', expect.stringMatching(/^404 /)]]);
    await stop(embedded);

    const servers = await newServers('there');
    const there = await runHeddle(first, ['move', '--from', 'embedded', '--to', 'env'], servers);
    expect(there).toMatchObject({
      code: 0,
      out: expect.stringMatching(/Moved ClickHouse .*Moved PostgreSQL .*Moved Files /s),
    });
    await expect(start(first)).rejects.toThrow(/was moved to http.*HEDDLE_CLICKHOUSE_URL/);
    const remote = await start(first, servers);
    expect(await answers(remote, ids)).toEqual(before);
    expect(await ledger.verify(openClient(remote, first))).toEqual([]);
    await stop(remote);

    const second = newDirectory(newDataDirectory);
    for (const name of ['secret.key', 'models']) cpSync(join(first, name), join(second, name), { recursive: true });
    const back = await runHeddle(second, ['move', '--from', 'env', '--to', 'embedded'], servers);
    expect(back).toMatchObject({ code: 0, out: expect.stringContaining('Copy secret.key and models/') });
    await expect(start(second, servers)).rejects.toThrow(/was moved to .*Remove HEDDLE_CLICKHOUSE_URL/);
    const again = await start(second);
    expect(await answers(again, ids)).toEqual(before);
    expect(await ledger.verify(openClient(again, second))).toEqual([]);
    await stop(again);
  });
});
