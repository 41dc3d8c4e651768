import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { completeOf } from '../../src/api/testing/calls.ts';
import { endpoints } from '../../src/contract/endpoints.ts';
import { type Front, startFront } from '../../src/store/clickhouse/server/testing/start-front.ts';
import { startTestServer, type TestServer } from '../../src/store/postgres/testing/postgres-server.ts';
import { freePorts } from '../../src/util/testing/free-ports.ts';
import { testCommand } from '../../testing/heddle-process.ts';
import { type Heddle, newDataDirectory, runHeddle, startHeddle } from '../harness/heddle.ts';
import { testDataDirectory } from '../harness/heddle-for-file.ts';
import { openClient } from '../kills/client.ts';
import { swiftEnvironment } from '../stores/environment.ts';
import { type S3Server, startSwift } from '../stores/swift-server.ts';
import { fill, type Ids, project } from './fill.ts';
import { readEndpoints } from './read-endpoints.ts';
import { readRuns } from './read-runs.ts';

/** Each process looks at its policies anew. */
const withoutLooks = (text: string) => text.replace(/"look":(null|\{"until":.*?"best_arm":null\})/g, '"look":"any"');

const routes = endpoints.map(({ method, path }) => ({ method, path, key: `${method} ${path}` }));

test('each endpoint is compared, or is listed with the reason why not', () => {
  const keys = routes.map(({ key }) => key);
  expect(keys.filter((key) => !(key in readEndpoints))).toEqual([]);
  expect(Object.keys(readEndpoints).filter((key) => !keys.includes(key))).toEqual([]);
});

describe.skipIf(!swiftEnvironment.isReady())('heddle move', { timeout: 400_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-front-'));
  const directories = [folder];
  let front: Front;
  let postgres: TestServer;
  let swift: S3Server;
  let port: string;

  beforeAll(async () => {
    front = await startFront(folder);
    postgres = await startTestServer();
    swift = await startSwift('heddle');
    port = String((await freePorts(1))[0]); // the same for all, because addresses are in answers
  });
  afterEach(() => Promise.all(started.splice(0).map((each) => each.end('SIGKILL'))), 20_000);
  afterAll(async () => {
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
    const file = join(data, 'secret.key');
    const key = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''.padEnd(64, '0');
    const isOnServers = settings.HEDDLE_CLICKHOUSE_URL && settings.HEDDLE_POSTGRES_URL && settings.HEDDLE_BLOBS_URL;
    const required: Record<string, string> = isOnServers ? { HEDDLE_SECRET_KEY: key } : {};
    const heddle = await startHeddle(data, { HEDDLE_PORT: port, ...required, ...settings });
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
        found[`${method} ${to} ${JSON.stringify(request.body ?? '')}`] = `${status} ${withoutLooks(text)}`;
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

  const calls = (from: number, count: number) => ({
    batch: Array.from({ length: count }, (_, i) =>
      completeOf(project, { op_name: `op-${from + i}`, inputs: { n: from + i } }),
    ),
  });

  /** Ends the command as soon as its state has these words. */
  async function killMove(data: string, settings: Record<string, string>, words: RegExp): Promise<void> {
    const [program, ...given] = [...testCommand, 'move', '--from', 'embedded', '--to', 'env'];
    const env = { PATH: process.env.PATH, HEDDLE_DATA: data, ...settings };
    const child = spawn(program!, given, { env, stdio: 'ignore' });
    const ended = once(child, 'exit');
    const file = join(data, 'move.json');
    while (child.exitCode === null && !(existsSync(file) && words.test(readFileSync(file, 'utf8'))))
      await setTimeout(2);
    child.kill('SIGKILL');
    expect(await ended).toEqual([null, 'SIGKILL']);
  }

  test('a move that is killed in any part goes on where it was, and its source is only used again if it is given up', async () => {
    const data = newDirectory();
    const embedded = await start(data);
    for (let i = 0; i < 3000; i += 1000) await embedded.post(`/v2/${project}/calls/complete`, calls(i, 1000));
    for (let i = 0; i < 20; i++) await embedded.upload(project, `file ${i}`);
    const query = { project_id: project, sort_by: [{ field: 'op_name', direction: 'asc' }], columns: ['inputs'] };
    const before = (await embedded.post('/calls/stream_query', query)).text;
    await stop(embedded);
    const servers = await newServers('killed');
    const places = [/"parts"/, /"calls"/, /"table_rows"/, /"runs":0/, /"table":"files"/];
    for (const words of process.env.TEST_LONG ? places : places.filter((_, i) => i % 2 === 0)) {
      await killMove(data, servers, words);
      await expect(start(data, servers)).rejects.toThrow(
        'is being moved, and the move was interrupted. To finish it, run',
      );
    }
    await expect(start(newDirectory(newDataDirectory), servers)).rejects.toThrow('has only a part of a deployment');
    const elsewhere = await newServers('elsewhere');
    const other = await runHeddle(data, ['move', '--from', 'embedded', '--to', 'env'], elsewhere);
    expect(other).toMatchObject({ code: 2, err: expect.stringContaining('A move from other places was interrupted') });

    const canceled = newDirectory(newDataDirectory);
    cpSync(data, canceled, { recursive: true });
    expect((await runHeddle(canceled, ['move', '--cancel'])).out).toContain(
      'Empty its target before you move there again',
    );
    const source = await start(canceled);
    expect((await source.post('/calls/stream_query', query)).text).toBe(before);
    await stop(source);
    const refused = await runHeddle(canceled, ['move', '--from', 'embedded', '--to', 'env'], servers);
    expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/is not empty: it has an unfinished copy/) });

    const finished = await runHeddle(data, ['move', '--from', 'embedded', '--to', 'env'], servers);
    expect(finished).toMatchObject({
      code: 0,
      out: expect.stringMatching(/3,000 rows, verified.*20 files, verified/s),
    });
    const remote = await start(data, servers);
    expect((await remote.post('/calls/stream_query', query)).text).toBe(before);
    await stop(remote);
  });

  test('refuses a source in use, a target with data, wrong places and wrong credentials, before it copies anything', async () => {
    const data = newDirectory();
    const settings = { ...(await newServers('refusals')), HEDDLE_POSTGRES_URL: '' };
    const move = (from: string, to: string, more: Record<string, string> = {}, directory = data) =>
      runHeddle(directory, ['move', '--from', from, '--to', to], { ...settings, ...more });
    const refusal = (code: number, words: string | RegExp) => ({ code, err: expect.stringMatching(words) });

    const running = await start(data);
    await running.upload(project, 'a file');
    expect(await move('embedded', 'env')).toMatchObject(refusal(1, 'is in use by another heddle process'));
    await stop(running);
    const wrong = { HEDDLE_CLICKHOUSE_URL: front.url('refusals', 'wrong') };
    expect(await move('embedded', 'env', wrong)).toMatchObject(refusal(1, 'refuses the password of the user heddle'));
    expect(await move('embedded', 'env', { AWS_SECRET_ACCESS_KEY: 'wrong' })).toMatchObject(
      refusal(1, 'refuses the credentials'),
    );
    expect(await move('env', 'embedded')).toMatchObject(refusal(2, 'is not where this deployment is'));
    expect(await move('embedded', 'embedded')).toMatchObject(refusal(2, 'there is nothing to move'));
    expect(await move('embedded', '/none.env')).toMatchObject(refusal(2, 'a file with variables .*ENOENT'));
    const missing = await move('embedded', 'env', {}, join(data, 'missing'));
    expect(missing).toMatchObject(refusal(1, 'does not contain heddle data'));

    const other = await start(newDirectory(newDataDirectory), settings);
    await other.upload(project, 'another file');
    await stop(other);
    expect(await move('embedded', 'env')).toMatchObject(refusal(1, 'is not empty: it has the deployment'));
    expect(existsSync(join(data, 'move.json'))).toBe(false);
    const unchanged = await start(data);
    expect((await unchanged.get('/projects')).status).toBe(200);
    await stop(unchanged);
  });

  test('one part can move on its own, and from one server to another, with files that name them', async () => {
    const data = newDirectory();
    const embedded = await start(data);
    const { digest } = (await embedded.upload(project, 'a file')).json;
    await stop(embedded);
    const fileOf = (name: string, url: string) => {
      const path = join(data, `${name}.env`);
      writeFileSync(
        path,
        `# its bucket\nHEDDLE_BLOBS_URL=${url}\nAWS_ACCESS_KEY_ID=test:tester\nAWS_SECRET_ACCESS_KEY=testsecret\n`,
      );
      return path;
    };
    const urls = ['one', 'two'].map((name) => `s3://heddle/alone-${name}?endpoint=${swift.endpoint}`);
    const [one, two] = [fileOf('one', urls[0]!), fileOf('two', urls[1]!)];
    const there = await runHeddle(data, ['move', '--from', 'embedded', '--to', one]);
    expect(there).toMatchObject({ code: 0, out: expect.stringContaining('Moved Files from') });
    expect(there.out).not.toContain('Moved PostgreSQL');
    expect((await runHeddle(data, ['move', '--from', one, '--to', two])).code).toBe(0);
    const settings = (url: string) => ({ HEDDLE_BLOBS_URL: url, ...swift.credentials });
    await expect(start(data, settings(urls[0]!))).rejects.toThrow('was moved to s3://heddle/alone-two/');
    await expect(start(data)).rejects.toThrow('was moved to s3://heddle/alone-one/');
    const moved = await start(data, settings(urls[1]!));
    const read = { project_id: project, digest };
    expect((await moved.post('/file/content', read)).text).toBe('a file');
    await stop(moved);

    const leftover = await runHeddle(data, ['move', '--from', two, '--to', 'embedded']);
    expect(leftover).toMatchObject({
      code: 1,
      err: expect.stringContaining('If it is what an earlier move left there, remove it'),
    });
    rmSync(join(data, 'blobs'), { recursive: true });
    expect((await runHeddle(data, ['move', '--from', two, '--to', 'embedded'])).code).toBe(0);
    const back = await start(data);
    expect((await back.post('/file/content', read)).text).toBe('a file');
    await stop(back);
  });
});
