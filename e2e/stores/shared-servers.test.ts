import { rmSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { modelProcesses } from '../../src/chat/testing/model-processes.ts';
import { adapterFolder } from '../harness/adapter-folder.ts';
import { type Heddle, newDataDirectory, startHeddle } from '../harness/heddle.ts';
import { swiftEnvironment } from './environment.ts';
import { type RemoteStores, startRemoteStores } from './remote-stores.ts';

/** Servers that share all stores, seen by their clients. */
describe.skipIf(!swiftEnvironment.isReady())('servers that share all stores', () => {
  let stores: RemoteStores;
  let settings: Record<string, string>;
  let servers: Heddle[];
  let [one, other]: Heddle[] = [];
  const directories: string[] = [];

  beforeAll(async () => {
    stores = await startRemoteStores();
    settings = await stores.newDeployment();
    servers = await Promise.all([start(), start(), start()]);
    [one, other] = servers as [Heddle, Heddle];
  });
  afterAll(async () => {
    await Promise.all((servers ?? []).map((each) => each.end('SIGKILL')));
    for (const each of directories) rmSync(each, { recursive: true, force: true });
    await stores?.close();
  });

  function start(): Promise<Heddle> {
    const data = newDataDirectory();
    directories.push(data);
    return startHeddle(data, settings);
  }

  async function send(
    server: Heddle,
    method: string,
    path: string,
    { key = server.key, body, headers = {} }: Sent = {},
  ) {
    const given = { ...(key === null ? {} : { authorization: `Bearer ${key}` }), 'content-type': 'application/json' };
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(server.url + path, { method, headers: { ...given, ...headers }, ...text });
    return { status: answer.status, headers: answer.headers, json: await answer.json().catch(() => null) };
  }

  type Sent = { key?: string | null; body?: unknown; headers?: Record<string, string> };

  const statusOf = async (server: Heddle, key: string) => (await send(server, 'GET', '/keys', { key })).status;

  async function newKey(): Promise<{ id: string; key: string }> {
    const { json } = await send(one!, 'POST', '/keys', { body: { name: 'laptop' } });
    return json as { id: string; key: string };
  }

  async function query(sql: string): Promise<void> {
    const client = new pg.Client(settings.HEDDLE_POSTGRES_URL);
    await client.connect();
    await client.query(sql);
    await client.end();
  }

  describe('a revocation that one server has answered counts at all', () => {
    test('of an API key', async () => {
      for (let round = 0; round < 3; round++) {
        const { id, key } = await newKey();
        for (const server of servers) expect(await statusOf(server, key)).toBe(200);
        expect((await send(servers[round % 3]!, 'DELETE', `/keys/${id}`)).status).toBe(200);
        expect(await Promise.all(servers.map((server) => statusOf(server, key)))).toEqual([401, 401, 401]);
      }
    });

    test('of a session that signs out', async () => {
      const headers = { 'x-heddle-page': '1', 'sec-fetch-site': 'same-origin' };
      const signedIn = await send(one!, 'POST', '/session', { key: null, body: { api_key: one!.key }, headers });
      const [, token] = /=(\w+)/.exec(signedIn.headers.get('set-cookie')!)!;
      // Behind a balancer, all have its port.
      const cookieAt = ({ url }: Heddle) => `heddle-session-${new URL(url).port}=${token}`;
      const read = async (server: Heddle) =>
        (
          await send(server, 'GET', '/session', {
            key: null,
            headers: { cookie: cookieAt(server), 'sec-fetch-site': 'same-origin' },
          })
        ).status;
      expect(await Promise.all(servers.map(read))).toEqual([200, 200, 200]);
      const out = await send(other!, 'DELETE', '/session', {
        key: null,
        headers: { ...headers, cookie: cookieAt(other!) },
      });
      expect(out.status).toBe(200);
      expect(await Promise.all(servers.map(read))).toEqual([401, 401, 401]);
    });

    test('of a membership', async () => {
      const entity = one!.entity;
      await send(one!, 'POST', `/entities/${entity}/members`, { body: { username: 'bo' } });
      const { key } = (await send(one!, 'POST', '/keys', { body: { username: 'bo' } })).json as { key: string };
      const project = `${entity}/members`;
      await send(one!, 'POST', '/obj/create', {
        body: { obj: { project_id: project, object_id: 'o', val: { a: 1 } } },
      });
      const read = async (server: Heddle) =>
        (await send(server, 'POST', '/objs/query', { key, body: { project_id: project } })).status;
      expect(await Promise.all(servers.map(read))).toEqual([200, 200, 200]);
      expect((await send(other!, 'DELETE', `/entities/${entity}/members/bo`)).status).toBe(200);
      const after = await Promise.all(servers.map(read));
      expect(after.every((status) => status >= 400)).toBe(true);
    });

    test('also at one that was frozen, with its first request', async () => {
      const { id, key } = await newKey();
      for (const server of servers) expect(await statusOf(server, key)).toBe(200);
      process.kill(other!.pid, 'SIGSTOP');
      try {
        expect((await send(one!, 'DELETE', `/keys/${id}`)).status).toBe(200); // once its lease has ended
      } finally {
        process.kill(other!.pid, 'SIGCONT');
      }
      expect(await statusOf(other!, key)).toBe(401);
    });

    test('also at those whose connections that listen were cut', async () => {
      const { id, key } = await newKey();
      for (const server of servers) expect(await statusOf(server, key)).toBe(200);
      await query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'");
      expect((await send(one!, 'DELETE', `/keys/${id}`)).status).toBe(200);
      expect(await Promise.all(servers.map((server) => statusOf(server, key)))).toEqual([401, 401, 401]);
    });
  });

  test('of servers that load adapters of one name, one does, and all serve it', async () => {
    const body = { lora_name: 'one-of-many', lora_path: adapterFolder };
    const loaded = await Promise.all(servers.map((server) => send(server, 'POST', '/v1/load_lora_adapter', { body })));
    expect(loaded.filter(({ status }) => status === 200)).toHaveLength(1);
    const ask = { model: 'one-of-many', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] };
    const statuses = async () => {
      const asked = servers.map((server) => send(server, 'POST', '/v1/chat/completions', { body: ask }));
      return (await Promise.all(asked)).map(({ status }) => status);
    };
    await expect.poll(statuses, { timeout: 20_000 }).toEqual([200, 200, 200]);
  });

  test('operators see how many share the stores', async () => {
    const top = await one!.command('top');
    expect(top.match(/ up \d+ (s|min)/g)).toHaveLength(4); // of the server itself, and of each process
    expect(top).toMatch(/^Processes .*\n {10}.*\n {10}.*up/m);
    expect((await one!.get('/metrics')).text).toMatch(/^heddle_processes 3$/m);
  });

  describe('a response in the background', () => {
    const endless = {
      ...{
        model: 'heddle/tiny',
        input: 'Hi',
        background: true,
        max_output_tokens: 900,
        ignore_eos: true,
        temperature: 0,
      },
    };
    const at = (server: Heddle, id: string) => send(server, 'GET', `/v1/responses/${id}`);
    const statusAt = async (server: Heddle, id: string) => (await at(server, id)).json.status;

    /** A response whose model does not compute. */
    async function begin(server: Heddle, project: string): Promise<string> {
      const headers = { 'x-heddle-project': project };
      const short = { ...endless, background: false, max_output_tokens: 1 };
      await send(server, 'POST', '/v1/responses', { body: short, headers }); // opens the model
      const { json } = await send(server, 'POST', '/v1/responses', { body: endless, headers });
      signalModels('SIGSTOP', server);
      return json.id;
    }
    /** Any server may be the one whose model computes. */
    function signalModels(signal: NodeJS.Signals, ...more: Heddle[]): void {
      const processes = new Set([...servers, ...more]).values().flatMap(({ pid }) => modelProcesses(pid));
      for (const { pid } of processes) process.kill(pid, signal);
    }
    const goOn = () => signalModels('SIGCONT');

    test('is read at any server, while it runs and when it has ended', async () => {
      const id = await begin(one!, 'ent/read');
      for (const server of servers) expect(await statusAt(server, id)).toBe('in_progress');
      goOn();
      const statuses = new Set<string>();
      while (!statuses.has('incomplete') && !statuses.has('failed')) statuses.add(await statusAt(other!, id));
      expect(statuses).not.toContain('failed');
      expect((await at(other!, id)).json).toEqual((await at(one!, id)).json);
    });

    test('is canceled at any server', async () => {
      const id = await begin(one!, 'ent/cancel');
      goOn();
      const { status, json } = await send(other!, 'POST', `/v1/responses/${id}/cancel`);
      expect({ status, shown: json.status }).toEqual({ status: 200, shown: 'cancelled' });
      for (const server of servers) expect(await statusAt(server, id)).toBe('cancelled');
    });

    test('has failed when its server was killed, within 15 s', async () => {
      const holder = await start();
      const id = await begin(holder, 'ent/killed');
      expect(await statusAt(other!, id)).toBe('in_progress');
      await holder.end('SIGKILL');
      goOn();
      const killedAt = performance.now();
      while ((await statusAt(other!, id)) === 'in_progress') await setTimeout(100);
      expect(performance.now() - killedAt).toBeLessThan(15_000);
      expect((await at(one!, id)).json).toMatchObject({
        status: 'failed',
        error: { message: expect.stringContaining('stopped') },
      });
    });
  });
});
